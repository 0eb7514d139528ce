import type { Json, JsonObject } from '../src/json/value.js';
import type { Account } from '../src/scheduling/jobs/account.js';
import type { DispatchResult, Envelope } from '../src/scheduling/jobs/envelope.js';
import type { JobRecord, TargetAction } from '../src/scheduling/jobs/record.js';
import { type JourneyArguments, ownPrefix } from './input.js';
import type { AttributeValues } from './search-attributes.js';

/** The one workflow through which everything enters an orchestrator. No journey can have such a name. */
export const dispatchWorkflow = `${ownPrefix}dispatch`;

/** How a dispatch closes: what it says to others, and what the next run of its job continues from. */
export interface DispatchClose extends DispatchResult {
  /** Only for jobs whose runs never overlap: with others there is no next one. */
  readonly account?: Account;
  readonly endedAt: string;
  /** The journey that it started. */
  readonly journeyId?: string;
}

/** What the memo of a dispatch says. One of them: a Schedule starts it with a job, anybody else with an envelope. */
export interface DispatchMemo {
  readonly job?: JobRecord;
  readonly envelope?: Omit<Envelope, 'targetAction'> & {
    readonly target: { readonly type: TargetAction['type']; readonly name: string };
  };
}

/** What a dispatch asks when it begins, in the words of its own start. Times in milliseconds. */
export interface AskedDispatch {
  readonly executionId: string;
  readonly runId: string;
  readonly envelope: Envelope | null;
  readonly job: JobRecord | null;
  readonly nominal: number;
  readonly startedAt: number;
  /** When a worker took it. */
  readonly takenAt: number;
  /** How the previous run of the job closed, if its Schedule says so. */
  readonly previous: Pick<DispatchClose, 'account' | 'endedAt'> | null;
}

/** What a dispatch is to do. */
export interface PreparedDispatch {
  readonly envelope: Envelope;
  readonly occurrences: DispatchResult['occurrences'];
  readonly account?: Account;
  /** It ends here: it is not to run, or may not. */
  readonly closes?: Pick<DispatchResult, 'outcome' | 'reason'>;
  /** The journey's start; without it the target is a function. */
  readonly child?: ChildStart;
  readonly maxDurationSec: number;
  /** The job has no further time: its run switches it off. */
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

/** Something to say in a channel. */
export interface AskedPost {
  readonly envelope: Envelope;
  readonly text: string;
  readonly note?: JsonObject;
}

/** What a dispatch tells when it is over: for the log, and for the files that outlive Temporal's memory. */
export interface EndedDispatch {
  readonly envelope: Envelope;
  readonly startedAt: number;
  readonly journeyId: string | null;
  readonly result: DispatchResult;
  readonly endedAt: string;
}

/** What a dispatch asks of its worker. */
export interface DispatchActivities {
  dispatchPrepared(asked: AskedDispatch): Promise<PreparedDispatch>;
  functionInvoked(envelope: Envelope): Promise<Json>;
  channelPost(post: AskedPost): Promise<{ messageId: string }>;
  jobExhausted(jobId: string, executionId: string): Promise<void>;
  dispatchEnded(ended: EndedDispatch): Promise<void>;
}
