import type { Json, JsonObject } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import type { Signature } from '../engine/definition/inbound-signature-scheme.js';
import type { GuardedRun } from '../engine/evaluate-read-guard.js';
import type { Outcome } from '../engine/outcome.js';
import type { RunStatus } from '../engine/run-status.js';
import type { TraceContext } from '../engine/trace-context-and-run-spans.js';
import type { Access } from './access.js';
import type { Headers, InboundRequest } from './inbound-request.js';
import type { LibraryEntry } from './library-interface.js';
import type { PreparedStart } from './prepare-start-with-ajv.js';
import type { SignedRequest } from './request-signature.js';
import type { ReadTrail, RunTrail, VisitContext } from './run-trail.js';

/**
 * Port for runs of journeys, implemented in `src/temporal/runs/temporal-runs.ts`. Every method throws a
 * ProblemError with a gateway code (RUN_UNKNOWN, STEP_NOT_ACTIVE, TEMPORAL_UNAVAILABLE, …) on failure.
 */
export interface Runs {
  /** Restricts the port to the runs that a caller can access; others are unknown. */
  as(access: Access): Runs;
  /** Starts a journey. A sync start resolves once the run has ended or parked, an async one as soon as the server has accepted it. */
  start(request: StartRun): Promise<RunView>;
  /** `admit` is called first if the run's journey has a read guard; nothing is returned before it resolves. */
  status(id: string, admit?: Admit): Promise<RunView>;
  /** The outcome of an ended run; RESULT_NOT_READY while it runs. */
  result(id: string, admit?: Admit): Promise<RunView & { outcome: Outcome }>;
  /** Submits a step; resolves once the run has ended or parked again. */
  submit(request: SubmitStep): Promise<SubmittedRun>;
  /** Throws SIGNATURE_INVALID unless the request is signed as a step requires. */
  checkSignature(signature: Signature, request: SignedRequest): void;
  /**
   * Submits a step of the run with a business key, or starts that run with the submission; RUN_UNKNOWN if neither is possible. Repeated
   * deliveries are rejected with DELIVERY_REPEATED.
   */
  deliver(request: Delivery): Promise<SubmittedRun>;
  /**
   * Cancels the run and returns its state, which is a read access: `admit` is called before anything
   * happens. Cancelling an ended run changes nothing.
   */
  cancel(id: string, admit?: Admit): Promise<RunView & { changed: boolean }>;
  /** Reports whether a callback token of this run and step is valid. */
  isCallback(id: string, address: string, token: string): Promise<boolean>;
  list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }>;
  /** Counts the runs that a list with these filters has. */
  count(query: RunFilter): Promise<RunCounts>;
  /** One page of the running runs that wait for a step, with their open steps. */
  waiting(query: ListRuns): Promise<WaitingRuns>;
  /** Running runs whose workflow tasks fail and are retried until a worker can complete them. */
  blocked(): Promise<readonly BlockedRun[]>;
  /** The definition that a run uses, which may no longer be served. */
  definition(id: string): Promise<LibraryEntry>;
  /** Reruns a run that has ended, as a new run; RESULT_NOT_READY while it is running. */
  rerun(request: RerunRequest): Promise<RerunResult>;
  /** Migrates a parked run to another version of its journey; MIGRATION_NOT_POSSIBLE if it is active or a current state does not exist there. */
  migrate(id: string, to: LibraryEntry): Promise<MigratedRun>;
  /** A page of what happened to a run; waits for a change if the request says so. */
  trail(id: string, request: ReadTrail, admit?: Admit): Promise<RunTrail>;
  /** The context around a visit of the trail; CONTEXT_UNKNOWN if the run could not be replayed. */
  visitContext(id: string, n: number, admit?: Admit): Promise<VisitContext>;
}

/** Rejects if the caller may not read the run. */
export type Admit = (run: GuardedRun) => Promise<void>;

/** The `Set-Cookie` headers of a response with an outcome. */
export type SetCookies = (outcome: Pick<Outcome, 'cookies'>) => Promise<string[]>;

export interface StartRun extends PreparedStart {
  mode: 'sync' | 'async';
  /** Repeating the key returns the same run, per caller and journey. */
  idempotencyKey?: string;
  caller: string;
  /** Schedules that the run creates are identified by their owner too: they neither replace nor conflict with those of other callers. */
  ownSchedules?: boolean;
  /** Called if the key belongs to an existing run whose journey has a read guard. */
  admit?: Admit;
  /** The request, for journeys that use it. */
  inbound?: InboundRequest;
  /** The caller's trace context. */
  trace?: TraceContext;
}

export interface SubmitStep {
  id: string;
  caller: string;
  /** The address of the step: its id, in an item of a map `<step>/<item>`. */
  stepId: string;
  payload: Json;
  headers: Headers;
  /** The raw body, for a step whose submissions are signed. */
  body?: Uint8Array;
  /** Query parameters, for the step's HTTP binding. */
  query?: InboundRequest['query'];
  /** The caller's certificate, as PEM. */
  certificate?: string;
  /** Repeating the key returns the same submission, per caller and run. */
  idempotencyKey?: string;
  /** Called after the submission if the journey has a read guard: a caller may submit a step without being allowed to read the run. */
  admit?: Admit;
  /** Keep the submission if the step is not active yet; RUN_UNKNOWN if the run has ended. */
  early?: true;
  /** The key identifies a delivery: its repetitions are rejected with DELIVERY_REPEATED, whatever their content. */
  dropRepeats?: true;
  /** Resolve when the submission is accepted, without waiting until the run is idle. */
  answerAtOnce?: true;
}

/** A submission to the run of a business key. */
export interface Delivery extends SubmitStep {
  /** Prepares the start of the run; called if no run has the key. Without it, RUN_UNKNOWN. */
  start?(): Promise<StartRun>;
}

/** A run after a submission. */
export interface SubmittedRun extends RunView {
  /** The projection of the step's response. */
  projection: JsonObject;
  /** The caller may not read the run. */
  unreadable?: true;
  /** The step was not active, and the submission is kept for it. */
  kept?: true;
}

/** Filters of runs; all must match. */
export interface RunFilter {
  /** Only these runs. */
  ids?: string[];
  journeyName?: string;
  journeyVersion?: string;
  phase?: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** The current or last state. */
  currentState?: string;
  subjectId?: string;
  tenantId?: string;
  startedBy?: string;
  /** The code by which failures are grouped. */
  errorCode?: string;
  /** The schedule that started the run. */
  scheduleId?: string;
  /** RFC 3339; the first of each pair is inclusive, the second exclusive. Runs that have not ended have no end. */
  startedFrom?: string;
  startedBefore?: string;
  endedFrom?: string;
  endedBefore?: string;
  tags: string[];
  /** `attributes.<key>` filters by name. */
  attributes: Record<string, string>;
}

export interface ListRuns extends RunFilter {
  pageSize: number;
  pageToken?: string;
}

/** The number of runs that match a filter. */
export interface RunCounts {
  readonly total: number;
  readonly phases: Readonly<Record<RunView['phase'], number>>;
  /** Running runs that wait for a step. */
  readonly openSteps: number;
  /** Failed runs by error code, the most frequent first. */
  readonly failures: readonly FailureCount[];
  /** Failed runs with other codes. */
  readonly otherFailures: number;
  /** The number of newest runs that were counted, if not all were. */
  readonly of: number | null;
}

export interface FailureCount {
  readonly code: string;
  readonly count: number;
}

/** Counts failed runs by error code, the most frequent first. */
export function failuresByCode(runs: readonly Pick<RunView, 'code'>[]): FailureCount[] {
  const counts = new Map<string, number>();
  for (const { code } of runs) if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

/** A run whose workflow tasks fail. */
export interface BlockedRun {
  readonly journeyId: string;
  readonly journeyName: string;
  /** Attempts of its current task. */
  readonly attempt: number;
}

/** Runs that wait for a step. */
export interface WaitingRuns {
  readonly items: readonly WaitingRun[];
  /** Number of runs that no worker answered for in time. */
  readonly unanswered: number;
  readonly nextPageToken?: string;
}

export interface WaitingRun {
  readonly run: RunView;
  /** Content hash of its definition. */
  readonly hash: string;
}

/** The query parameter with the token of a callback URL. */
export const callbackParameter = 'callback';

/** Reports whether a text is a valid Idempotency-Key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Failures that block or delay a run. */
export interface RunTrouble {
  /** Its workflow task fails and is retried until a worker can complete it. */
  readonly failingTask?: { readonly attempt: number; readonly cause: string; readonly reason: string };
  /** Activities that are being retried. */
  readonly retries: readonly { readonly activity: string; readonly attempt: number; readonly reason: string }[];
}

/** A run; the source of JourneyStatus and JourneyOutcome. */
export interface RunView {
  journeyId: string;
  journeyName: string;
  journeyVersion: string;
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** True if responses contain `_links`. */
  links: boolean;
  cancellable: boolean;
  status: RunStatus;
  /** Addresses of the steps that wait for a submission. */
  steps: string[];
  /** True if the run waits for a timer or a submission; absent if the run was not queried. */
  resting?: boolean;
  /** Set if the run's own answer is encrypted with a key that is not configured here; the view then contains only Temporal's data. */
  unread?: Problem;
  /** Set in lists: the run waits for a step. */
  waits?: true;
  startedAt?: string;
  /** Null while it runs. */
  endedAt?: string | null;
  /** The code by which failures are grouped; absent if the run has not failed, or its code is unknown. */
  code?: string;
  /** Present after the end; its `projection` belongs at the top level of a JourneyOutcome. */
  outcome?: Outcome;
}

/** A run that was migrated to another version of its journey. */
export interface MigratedRun {
  readonly run: RunView;
  /** The previous version. */
  readonly from: string;
  /** False if it already had that version and content. */
  readonly changed: boolean;
}

/** A request to rerun a run that has ended, from one of its states. */
export interface RerunRequest {
  readonly id: string;
  /** The state at its last visit, or a visit listed in the history. Default: the failed state. */
  readonly to?: { readonly state?: string; readonly visit?: string };
  /** The definition to use instead of the run's own. */
  readonly by?: LibraryEntry;
  /** Reruns even if the compensation has completed. */
  readonly despiteCompensation?: boolean;
  /** The context that the state starts with, instead of the one it had. Calls of the new run get idempotency keys of their own. */
  readonly context?: JsonObject;
  /** Repeating the key returns the same new run. A retry needs none: a failed visit is retried once. */
  readonly key?: string;
  /** Returns the newest rerun of the run instead, if there is one, whichever request created it. */
  readonly unlessRerun?: boolean;
}

/** The result of a rerun. */
export interface RerunResult {
  readonly run: RunView;
  /** The state that it starts from. */
  readonly state: string;
  /** True if an earlier request created the run. */
  readonly repeated: boolean;
}
