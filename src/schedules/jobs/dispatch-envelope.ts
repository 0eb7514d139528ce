import type { OccurrenceSpan } from '../occurrence-counts.js';
import type { CreatedBy, TargetAction, TargetRef } from './job-record.js';

/** The origin of a dispatch. */
export type Origin = 'schedule' | 'run_now' | 'channel' | 'cli' | 'http';

/** One item of work in an orchestrator's queue. */
export interface Envelope {
  /** The id of the `journeyman.dispatch` workflow: two envelopes with one id are one run. */
  readonly executionId: string;
  /** Null if it does not belong to a job. */
  readonly jobId: string | null;
  /** The nominal time of a scheduled trigger, otherwise the time of the request. */
  readonly triggeredAt: string;
  readonly orchestratorId: string;
  readonly origin: Origin;
  readonly requestedBy: CreatedBy;
  readonly targetAction: TargetAction;
  readonly targetRef: TargetRef | null;
}

/** The phase of a dispatch. */
export type ExecutionPhase = 'incoming' | 'processing' | 'outgoing' | 'done';
export const phases: readonly ExecutionPhase[] = ['incoming', 'processing', 'outgoing', 'done'];

/** The result of a dispatch. `skipped`: it executed nothing, and `reason` says why. */
export interface DispatchResult {
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | 'coalesced';
  /** A stable code and a message, unless it succeeded. */
  readonly reason: { readonly code: string; readonly message: string } | null;
  readonly occurrences: readonly OccurrenceSpan[];
}
