import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { DispatchResult, Envelope } from '../../src/schedules/jobs/dispatch-envelope.js';
import type { JobRecord, TargetAction } from '../../src/schedules/jobs/job-record.js';
import type { JobAccount, OccurrenceSpan } from '../../src/schedules/occurrence-counts.js';
import { type JourneyArguments, ownPrefix } from '../journey/workflow-contract.js';
import type { AttributeValues } from '../shared/run-search-attributes.js';

/** The workflow through which everything enters an orchestrator. No journey can have this name. */
export const dispatchWorkflow = `${ownPrefix}dispatch`;

/** The close of a dispatch: its result, and the account that the next run of its job continues. */
export interface DispatchClose extends DispatchResult {
  /** Only for jobs whose runs never overlap; others have no next run. */
  readonly account?: JobAccount;
  readonly endedAt: string;
  /** The journey that it started. */
  readonly journeyId?: string;
}

/** The memo of a dispatch. A Schedule starts it with a job, everything else with an envelope. */
export interface DispatchMemo {
  readonly job?: JobRecord;
  readonly envelope?: Omit<Envelope, 'targetAction'> & {
    readonly target: { readonly type: TargetAction['type']; readonly name: string };
  };
}

/** The start of a dispatch, for its preparation. Times in milliseconds. */
export interface DispatchStart {
  readonly executionId: string;
  readonly runId: string;
  readonly envelope: Envelope | null;
  readonly job: JobRecord | null;
  readonly nominal: number;
  readonly startedAt: number;
  /** When a worker accepted it. */
  readonly takenAt: number;
  /** The close of the previous run of the job, if its Schedule passes it on. */
  readonly previous: Pick<DispatchClose, 'account' | 'endedAt'> | null;
}

/** The plan of a dispatch. */
export interface PreparedDispatch {
  readonly envelope: Envelope;
  readonly occurrences: DispatchResult['occurrences'];
  readonly account?: JobAccount;
  /** Set if it does not run. */
  readonly closes?: Pick<DispatchResult, 'outcome' | 'reason'>;
  /** The journey's start; without it the target is a function. */
  readonly child?: ChildStart;
  readonly maxDurationSec: number;
  /** The job has no further time: its run disables it. */
  readonly exhausts?: true;
}

/** The start of a journey as plain JSON. */
export interface ChildStart {
  readonly workflowId: string;
  readonly taskQueue: string;
  /** The journey's name. */
  readonly workflowType: string;
  readonly args: JourneyArguments;
  readonly memo: Record<string, unknown>;
  readonly attributes: AttributeValues;
  readonly summary: string;
  readonly details?: string;
}

/** A message for a channel. */
export interface OutgoingMessage {
  readonly envelope: Envelope;
  readonly text: string;
  readonly note?: JsonObject;
}

/** The end of a dispatch, for the audit log and for files that outlive Temporal's retention. */
export interface EndedDispatch {
  readonly envelope: Envelope;
  readonly startedAt: number;
  readonly journeyId: string | null;
  readonly result: DispatchResult;
  readonly endedAt: string;
}

/** The run of a one-off job, and the result of its time. */
export interface ExhaustedJob {
  readonly jobId: string;
  readonly executionId: string;
  readonly occurrences: readonly OccurrenceSpan[];
}

/** Activities of a dispatch. */
export interface DispatchActivities {
  dispatchPrepared(asked: DispatchStart): Promise<PreparedDispatch>;
  functionInvoked(envelope: Envelope): Promise<Json>;
  channelPost(post: OutgoingMessage): Promise<{ messageId: string }>;
  jobExhausted(job: ExhaustedJob): Promise<void>;
  dispatchEnded(ended: EndedDispatch): Promise<void>;
}
