/** A scope: a private root, what may run in it, and whom it talks to. Configured under `orchestrators`; `main` is always there. */
export interface Orchestrator {
  readonly id: string;
  /** The folder that is its own. */
  readonly root: string;
  /** Names of journeys and ids of functions it may use; '*' stands for all. */
  readonly journeys: readonly string[];
  readonly functions: readonly string[];
  /** Names of the shared folders (configured under `shared`) that its inputs may refer to. */
  readonly shared: readonly string[];
}

/** A way in and out: an account of a channel, which belongs to one orchestrator. */
export interface ChannelProfile {
  readonly id: string;
  readonly channel: string;
  readonly orchestratorId: string;
  /** The zone that plain English means when it names none. */
  readonly timezone?: string;
  /** Names that people use → the channel's own ids, for example `#team` → `C100`. */
  readonly channels: Readonly<Record<string, string>>;
}

/** Finds orchestrators and profiles by name; refuses with ORCHESTRATOR_UNKNOWN or CHANNEL_PROFILE_UNKNOWN. */
export interface Orchestrators {
  readonly all: readonly Orchestrator[];
  get(id: string): Orchestrator;
  profile(id: string): ChannelProfile;
  profilesOf(orchestratorId: string): readonly ChannelProfile[];
}
