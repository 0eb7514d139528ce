import { nearest } from '../problems/nearest.js';
import { refuse } from '../problems/problem.js';

/** A scope: a private root, what may run in it, and whom it talks to. Configured under `orchestrators`; `main` is always there. */
export interface Orchestrator {
  readonly id: string;
  /** The folder that is its own. */
  readonly root: string;
  /** Names of journeys and ids of functions it may use; '*' stands for all, 'schedule.*' for a family. */
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
  /** Authenticated callers that speak for it. */
  readonly callers: readonly string[];
}

/** Finds orchestrators and profiles by name; refuses with ORCHESTRATOR_UNKNOWN or CHANNEL_PROFILE_UNKNOWN. */
export interface Orchestrators {
  readonly all: readonly Orchestrator[];
  get(id: string): Orchestrator;
  profile(id: string): ChannelProfile;
  profilesOf(orchestratorId: string): readonly ChannelProfile[];
}

/** What the configuration says about them. */
export interface ConfiguredOrchestrators {
  readonly orchestrators: Readonly<Record<string, Omit<Orchestrator, 'id'>>>;
  readonly channelProfiles: Readonly<Record<string, Omit<ChannelProfile, 'id'>>>;
}

/** The configured orchestrators and profiles. */
export function orchestratorsOf({ orchestrators, channelProfiles }: ConfiguredOrchestrators): Orchestrators {
  const all = Object.entries(orchestrators).map(([id, it]): Orchestrator => ({ ...it, id }));
  const profiles = Object.entries(channelProfiles).map(([id, it]): ChannelProfile => ({ ...it, id }));
  return {
    all,
    get: (id) => all.find((it) => it.id === id) ?? unknown('ORCHESTRATOR_UNKNOWN', 'orchestrator', id, all),
    profile: (id) =>
      profiles.find((it) => it.id === id) ?? unknown('CHANNEL_PROFILE_UNKNOWN', 'channel profile', id, profiles),
    profilesOf: (id) => profiles.filter(({ orchestratorId }) => orchestratorId === id),
  };
}

/** Whether a grant covers a name: the name itself, `*`, or the family `<family>.*`. */
export function grants(granted: readonly string[], name: string): boolean {
  return granted.some((it) => it === '*' || it === name || (it.endsWith('.*') && name.startsWith(it.slice(0, -1))));
}

function unknown(
  code: 'ORCHESTRATOR_UNKNOWN' | 'CHANNEL_PROFILE_UNKNOWN',
  what: string,
  id: string,
  known: readonly { id: string }[],
): never {
  const near = nearest(
    id,
    known.map((it) => it.id),
  );
  // What was asked for is not repeated: it may be anything, a path for example.
  return refuse(code, `There is no ${what} of that name.`, {
    hint:
      near === undefined
        ? `Configure it under ${what === 'orchestrator' ? 'orchestrators' : 'channelProfiles'}.`
        : `Did you mean ${near}?`,
  });
}
