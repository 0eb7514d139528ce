import type { CreatedBy, TargetAction, TargetRef } from './record.js';

/** What makes something run: every run of an orchestrator begins as one of these. */
export type Origin = 'schedule' | 'run_now' | 'channel' | 'cli' | 'http';

/** One thing to run, as it enters its orchestrator's queue. */
export interface Envelope {
  /** The id of the `journeyman.dispatch` workflow: two envelopes with one id are one run. */
  readonly executionId: string;
  /** Null when no job stands behind it. */
  readonly jobId: string | null;
  /** The nominal time of a scheduled trigger, otherwise when it was asked for. */
  readonly triggeredAt: string;
  readonly orchestratorId: string;
  readonly origin: Origin;
  readonly requestedBy: CreatedBy;
  readonly targetAction: TargetAction;
  readonly targetRef: TargetRef | null;
}

/** Where a run stands in its queue. */
export type Phase = 'incoming' | 'processing' | 'outgoing' | 'done';
export const phases: readonly Phase[] = ['incoming', 'processing', 'outgoing', 'done'];

/** What became of due times: which, how many, and why there was one run for all of them, or none. */
export interface Occurrences {
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly reason: 'run' | 'missed' | 'overlapped' | 'coalesced';
}

/** How a run of an orchestrator ended. `skipped`: it executed nothing, and `reason` says why. */
export interface DispatchResult {
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | 'coalesced';
  /** A stable code and words for people, unless it succeeded. */
  readonly reason: { readonly code: string; readonly message: string } | null;
  readonly occurrences: readonly Occurrences[];
}
