import type { Json } from '../json/value.js';

/** What a line of a run's history tells. */
export type HistoryKind =
  | 'started'
  | 'entered'
  | 'called'
  | 'answered'
  | 'failed'
  | 'retried'
  | 'waits'
  | 'due'
  | 'submitted'
  | 'signalled'
  | 'cancel'
  | 'stuck'
  | 'child'
  | 'continued'
  | 'ended';

/** One line: what happened at a time. */
export interface HistoryLine {
  /** RFC 3339. */
  readonly at: string;
  readonly kind: HistoryKind;
  /** The state it belongs to, where it is known. */
  readonly state?: string;
  /** The branch or subjourney that the state stands in. */
  readonly within?: string;
  readonly text: string;
  /** What came in, or came back. */
  readonly data?: Json;
  /** The event of Temporal's history; states that ask nothing of the world leave none. */
  readonly event?: number;
  /** Which visit of a state it is: what `reset` goes back to. */
  readonly visit?: string;
}

/** What became of a run, oldest first, over all its executions. */
export interface RunHistory {
  readonly journeyId: string;
  readonly lines: readonly HistoryLine[];
  /** There is more before the first line. */
  readonly more: boolean;
  /** No worker said which states an execution entered: only what Temporal recorded is told. */
  readonly partial: boolean;
}
