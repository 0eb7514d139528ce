import { nearestName } from '../base/problems/nearest-name.js';
import { refuse } from '../base/problems/problem.js';

/** A scope for jobs with its own root folder, grants and channels. Configured under `orchestrators`; `main` always exists. */
export interface Orchestrator {
  readonly id: string;
  /** Its own folder. */
  readonly root: string;
  /** Names of journeys and ids of functions that it may use; '*' means all, 'schedule.*' a family. */
  readonly journeys: readonly string[];
  readonly functions: readonly string[];
  /** Names of the shared folders (configured under `shared`) that its inputs may refer to. */
  readonly shared: readonly string[];
}

/** An account of a channel, which belongs to one orchestrator. */
export interface ChannelProfile {
  readonly id: string;
  readonly channel: string;
  readonly orchestratorId: string;
  /** Default time zone of plain English. */
  readonly timezone?: string;
  /** Names of channels → their ids, for example `#team` → `C100`. */
  readonly channels: Readonly<Record<string, string>>;
  /** Authenticated callers that may act for it. */
  readonly callers: readonly string[];
}

/** Finds orchestrators and profiles by name; throws ORCHESTRATOR_UNKNOWN or CHANNEL_PROFILE_UNKNOWN. */
export interface Orchestrators {
  readonly all: readonly Orchestrator[];
  get(id: string): Orchestrator;
  profile(id: string): ChannelProfile;
  profilesOf(orchestratorId: string): readonly ChannelProfile[];
}

/** Configuration of orchestrators and profiles. */
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

/** Reports whether a grant covers a name: the name itself, `*`, or `<family>.*`. */
export function grants(granted: readonly string[], name: string): boolean {
  return granted.some((it) => it === '*' || it === name || (it.endsWith('.*') && name.startsWith(it.slice(0, -1))));
}

function unknown(
  code: 'ORCHESTRATOR_UNKNOWN' | 'CHANNEL_PROFILE_UNKNOWN',
  what: string,
  id: string,
  known: readonly { id: string }[],
): never {
  const near = nearestName(
    id,
    known.map((it) => it.id),
  );
  // The requested name is not repeated: it may be anything, for example a path.
  return refuse(code, `There is no ${what} with that name.`, {
    hint:
      near === undefined
        ? `Configure it under ${what === 'orchestrator' ? 'orchestrators' : 'channelProfiles'}.`
        : `Did you mean ${near}?`,
  });
}
