import type { Outcome } from '../engine/outcome.js';
import type { GuardedRun } from '../engine/read-guard.js';
import type { RunStatus } from '../engine/status.js';
import type { TraceContext } from '../engine/trace.js';
import type { Json, JsonObject } from '../json/value.js';
import type { Problem } from '../problems/problem.js';
import type { Access } from './access.js';
import type { Headers, InboundRequest } from './inbound.js';
import type { LibraryEntry } from './library.js';
import type { GoAgain, GoneAgain, MovedRun } from './run-again.js';
import type { RunHistory } from './run-history.js';
import type { PreparedStart } from './start.js';

/**
 * What the gateway needs from the place where journeys run. `src/temporal/runs.ts` is the one implementation; every method throws a
 * ProblemError with a gateway code (RUN_UNKNOWN, STEP_NOT_ACTIVE, TEMPORAL_UNAVAILABLE, …) when it cannot do what it says.
 */
export interface Runs {
  /** The same, for somebody: the runs beyond their reach do not exist. */
  as(access: Access): Runs;
  /** Starts a journey. Sync journeys answer once the run has ended or rests; async ones as soon as the server has it. */
  start(request: StartRun): Promise<RunView>;
  /** `admit` is asked first where the run's journey has a read guard; nothing is told before it has resolved. */
  status(id: string, admit?: Admit): Promise<RunView>;
  /** The outcome of an ended run; RESULT_NOT_READY while it runs. */
  result(id: string, admit?: Admit): Promise<RunView & { outcome: Outcome }>;
  /** Submits a step and answers once the run has ended or rests again. */
  submit(request: SubmitStep): Promise<SubmittedRun>;
  /**
   * Asks the run to end as cancelled and answers with its state after that, which is a reading of the run: `admit` is asked before anything
   * happens. Cancelling an ended run changes nothing.
   */
  cancel(id: string, admit?: Admit): Promise<RunView & { changed: boolean }>;
  /** Whether a callback URL of this run and step has this token, and is still good. It does not look at the run. */
  isCallback(id: string, stepId: string, token: string): Promise<boolean>;
  list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }>;
  /** Goes on with a run that has ended, as another run; RESULT_NOT_READY while it runs. */
  again(request: GoAgain): Promise<GoneAgain>;
  /** Moves a parked run to another version of its journey; MOVE_NOT_POSSIBLE where it works, or stands where that version has nothing alike. */
  move(id: string, to: LibraryEntry): Promise<MovedRun>;
  /** What became of a run, the newest `limit` lines, oldest first. */
  history(id: string, limit: number): Promise<RunHistory>;
}

/** Rejects when the reader may not see the run. */
export type Admit = (run: GuardedRun) => Promise<void>;

/** The `Set-Cookie` headers of an answer that tells an outcome. */
export type SetCookies = (outcome: Pick<Outcome, 'cookies'>) => Promise<string[]>;

export interface StartRun extends PreparedStart {
  mode: 'sync' | 'async';
  /** The same key from the same caller for the same journey means the same run. */
  idempotencyKey?: string;
  caller: string;
  /** Asked where the key stands for a run that exists already, and whose journey has a read guard. */
  admit?: Admit;
  /** The request itself, for journeys that look at it. */
  inbound?: InboundRequest;
  /** Where the run stands in its caller's trace. */
  trace?: TraceContext;
}

export interface SubmitStep {
  id: string;
  caller: string;
  stepId: string;
  payload: Json;
  headers: Headers;
  /** The body as it came, for a step whose submissions are signed. */
  body?: Uint8Array;
  /** Query parameters, for what the step's HTTP binding copies into the context. */
  query?: InboundRequest['query'];
  /** The caller's certificate, as PEM. */
  certificate?: string;
  /** The same key from the same caller for the same run means the same submission. */
  idempotencyKey?: string;
  /** Asked once the step is taken, where the run's journey has a read guard: who may submit a step need not be who may read the run. */
  admit?: Admit;
}

/** A run after a step of it was taken. */
export interface SubmittedRun extends RunView {
  /** What the step's response shows. */
  projection: JsonObject;
  /** Whoever submitted it may not read the run. */
  unreadable?: true;
}

export interface ListRuns {
  journeyName?: string;
  journeyVersion?: string;
  phase?: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** Where a run rests, or rested last. */
  currentState?: string;
  subjectId?: string;
  tenantId?: string;
  startedBy?: string;
  /** RFC 3339, the first included, the second not. */
  startedFrom?: string;
  startedBefore?: string;
  tags: string[];
  /** `attributes.<key>` filters by name. */
  attributes: Record<string, string>;
  pageSize: number;
  pageToken?: string;
}

/** The query parameter of a callback URL that holds its token. */
export const callbackParameter = 'callback';

/** Whether a text can be an Idempotency-Key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** What keeps a run from going on. */
export interface RunTrouble {
  /** Its workflow task fails, and is tried again until a worker can do it. */
  readonly failingTask?: { readonly attempt: number; readonly cause: string; readonly reason: string };
  /** Activities that failed and are being tried again. */
  readonly retries: readonly { readonly activity: string; readonly attempt: number; readonly reason: string }[];
}

/** A run as the gateway sees it; JourneyStatus and JourneyOutcome are made from it. */
export interface RunView {
  id: string;
  journeyName: string;
  journeyVersion: string;
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** Whether responses carry `_links`. */
  links: boolean;
  cancellable: boolean;
  status: RunStatus;
  /** Ids of the steps that wait for a submission. */
  steps: string[];
  /** Whether nothing happens until a timer fires or a step is submitted; absent if the run itself was not asked. */
  resting?: boolean;
  /** Why this is only what Temporal shows of the run: what the run itself answered is encrypted with a key that is not configured here. */
  unread?: Problem;
  /** Present once the run has ended; its `projection` belongs at the top level of a JourneyOutcome. */
  outcome?: Outcome;
}
