import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../base/json/value.js';
import { ProblemError } from '../base/problems/problem.js';
import type { Runs } from './runs-interface.js';

/** A call of a visited state. The last four fields are for operators. */
export interface TrailCall {
  /** The name of the effect, such as `http`. */
  readonly kind: string;
  /** RFC 3339, as all times of a trail. */
  readonly at: string;
  readonly endedAt?: string;
  /** `abandoned`: its result is not awaited any more. */
  readonly outcome: 'running' | 'answered' | 'failed' | 'abandoned';
  /** How often Temporal attempted it. */
  readonly attempts: number;
  readonly status?: number;
  /** The error code of a failed call. */
  readonly code?: string;
  /** The call in a few words, such as `POST shop.example/buy`. */
  readonly about?: string;
  readonly message?: string;
  readonly request?: Json;
  readonly response?: Json;
}

/** A timer of a visited state: its own, a time limit, or the delay before an attempt. */
export interface TrailTimer {
  readonly at: string;
  readonly dueAt: string;
  readonly firedAt?: string;
  readonly cancelledAt?: string;
}

/** A submission that a visited state accepted. The payload is for operators. */
export interface TrailSubmission {
  readonly at: string;
  readonly payload?: Json;
}

/** A visit of a state. */
export interface TrailVisit {
  readonly kind: 'visit';
  /** Unique in the run. */
  readonly id: string;
  readonly state: string;
  readonly type?: string;
  /** The path of branches, items and subjourneys around the state. */
  readonly within?: string;
  /** 1 for the first visit of this state in its place. */
  readonly number: number;
  /** The name of the visit, for `reset`. */
  readonly visit?: string;
  readonly enteredAt: string;
  readonly leftAt?: string;
  /** `ended`: it ended its graph. `unknown`: the history alone does not tell. */
  readonly outcome: 'running' | 'left' | 'ended' | 'failed' | 'interrupted' | 'unknown';
  /** The state that followed. */
  readonly next?: string;
  readonly code?: string;
  /** For operators. */
  readonly reason?: string;
  readonly calls?: readonly TrailCall[];
  readonly timers?: readonly TrailTimer[];
  readonly submissions?: readonly TrailSubmission[];
}

/** An event of the run as a whole. `by`, `message`, `payload` and `output` are for operators. */
export type TrailEvent = { readonly at: string } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'signal'; readonly name: string; readonly by?: string; readonly payload?: Json }
  | { readonly kind: 'cancel'; readonly by?: string }
  | { readonly kind: 'blocked'; readonly message?: string }
  | { readonly kind: 'migrated'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'ended';
      readonly phase: 'SUCCEEDED' | 'FAILED';
      readonly status: string;
      readonly state?: string;
      readonly code?: string;
      readonly reason?: string;
      readonly output?: Json;
    }
);

/** An entry of a trail. `n` is its place, which never changes. */
export type TrailEntry = { readonly n: number } & (TrailVisit | TrailEvent);

/** Why a trail contains only what Temporal's history alone tells. */
export interface TrailGap {
  readonly code: 'INTERPRETER_DIFFERS' | 'REPLAY_DIFFERS' | 'REPLAY_TOO_LONG' | 'HISTORY_EXPIRED';
  readonly detail: string;
}

/** A page of the history of a run, in terms of its journey. */
export interface RunTrail {
  readonly journeyId: string;
  readonly journeyName: string;
  readonly journeyVersion: string;
  readonly phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** False if states, or earlier executions, are missing. */
  readonly complete: boolean;
  readonly reason?: TrailGap;
  readonly entries: readonly TrailEntry[];
  readonly nextPageToken?: string;
  /** Names the state of the trail; as `after` it asks for what has changed since. */
  readonly cursor: string;
}

/** A request for a page of a trail. */
export interface ReadTrail {
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly after?: string;
  /** How long to wait for a change; needs `after`. */
  readonly waitMs?: number;
  /** Ends the wait when the caller has gone. */
  readonly signal?: AbortSignal;
}

/** The context of a run around a visit. `after` is absent while the state runs. */
export interface VisitContext {
  readonly n: number;
  readonly id: string;
  readonly state: string;
  readonly before: JsonObject;
  readonly after?: JsonObject;
}

/** The entry without the values that only operators see. */
export function withoutPayloads(entry: TrailEntry): TrailEntry {
  switch (entry.kind) {
    case 'visit': {
      const { reason: _, calls, submissions, ...rest } = entry;
      return {
        ...rest,
        ...(calls && { calls: calls.map(({ about, message, request, response, ...call }) => call) }),
        ...(submissions && { submissions: submissions.map(({ at }) => ({ at })) }),
      };
    }
    case 'signal':
      return { n: entry.n, kind: entry.kind, at: entry.at, name: entry.name };
    case 'cancel':
    case 'blocked':
      return { n: entry.n, kind: entry.kind, at: entry.at };
    case 'ended': {
      const { output: _, reason: __, ...rest } = entry;
      return rest;
    }
    default:
      return entry;
  }
}

const trailPageSize = 1_000;
const waitMs = 20_000;
/** Following a run tolerates an unavailable server for this long, retrying every second. */
const awayMs = 300_000;
const askAgainMs = 1_000;

/** Reads all pages of a trail. */
export async function wholeTrail(
  runs: Pick<Runs, 'trail'>,
  id: string,
  request: Partial<ReadTrail> = {},
): Promise<RunTrail> {
  const { nextPageToken: first, ...trail } = await runs.trail(id, { ...request, pageSize: trailPageSize });
  const entries = [...trail.entries];
  for (let pageToken = first; pageToken !== undefined; ) {
    const page = await runs.trail(id, { pageSize: trailPageSize, pageToken });
    entries.push(...page.entries);
    pageToken = page.nextPageToken;
  }
  return { ...trail, entries };
}

/** Follows a run until it ends: its trail so far, then what changes. */
export async function* followTrail(runs: Pick<Runs, 'trail'>, id: string): AsyncGenerator<RunTrail> {
  let after: string | undefined;
  for (;;) {
    const trail = await untilBack(() => wholeTrail(runs, id, after === undefined ? {} : { after, waitMs }));
    yield trail;
    if (trail.phase !== 'RUNNING') return;
    after = trail.cursor;
  }
}

/** Retries while the server is unavailable, so that a restart does not end a watch. */
async function untilBack<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + awayMs; ; await sleep(askAgainMs)) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ProblemError && error.problem.code === 'TEMPORAL_UNAVAILABLE';
      if (!isAway || Date.now() >= until) throw error;
    }
  }
}
