import type { Json } from '../base/json/value.js';
import type { DispatchResult, Envelope, ExecutionPhase, Origin } from '../schedules/jobs/dispatch-envelope.js';
import type { JobRecord, JobState, PublicJob } from '../schedules/jobs/job-record.js';
import type { Page } from './schedules-interface.js';

/** A job in a list. */
export interface JobSummary extends PublicJob {
  /** The next time by Temporal; null if no run will start. */
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastResult: { readonly outcome: DispatchResult['outcome'] | 'running'; readonly code: string | null } | null;
  /** The cadence in plain English. */
  readonly cadence: string;
  /** Differences between the Schedule in Temporal and its record; empty if there are none. */
  readonly drift: readonly string[];
}

/** A job with all details. */
export interface JobView extends JobSummary {
  /** The note of its Schedule: while paused, by whom and why. */
  readonly note: string;
  readonly nextRuns: readonly string[];
  readonly activeRuns: readonly string[];
  /** Counts of all due times by result, including those that no run has covered yet. */
  readonly occurrences: {
    readonly ran: number;
    readonly missed: number;
    readonly overlapped: number;
    readonly coalesced: number;
  };
}

/** A run of an orchestrator: of one of its jobs, or a direct request. */
export interface JobRun {
  readonly executionId: string;
  readonly jobId: string | null;
  readonly orchestratorId: string;
  readonly origin: Origin;
  readonly triggeredAt: string;
  readonly phase: ExecutionPhase;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly result: DispatchResult | null;
  /** The run of the journey, if the target is a journey. */
  readonly journeyId: string | null;
}

/** A validated job: the caller has checked access, target and form. */
export type NewJob = PublicJob;

/**
 * Port for jobs, implemented in `src/temporal/schedules/jobs`. Every method throws a ProblemError (JOB_UNKNOWN, RUN_ACTIVE, …) on failure. A job of
 * another orchestrator is unknown.
 */
export interface Jobs {
  /** Idempotent by `key`. */
  create(job: NewJob, key: string): Promise<JobView>;
  list(query: ListJobs): Promise<{ items: JobSummary[]; nextPageToken?: string }>;
  /** All jobs except deleted ones by name, with schedule and target of those that are `wanted`; reading one costs a request. */
  named(orchestratorId: string, wanted: (job: NamedJob) => boolean): Promise<NamedJob[]>;
  show(orchestratorId: string, jobId: string): Promise<JobView>;
  /**
   * Updates a job. `decide` gets the current record, again after each conflict, and returns the new one, or undefined for no change. It may
   * throw.
   */
  change(
    orchestratorId: string,
    jobId: string,
    decide: (record: JobRecord) => JobRecord | undefined,
    by?: string,
  ): Promise<JobView & { changed: boolean }>;
  /** Repairs drift: restores the Schedule from the record. */
  repair(orchestratorId: string, jobId: string): Promise<JobView & { changed: boolean }>;
  /** Starts a run; idempotent by request id. */
  runNow(orchestratorId: string, jobId: string, requestId: string): Promise<{ executionId: string }>;
  runs(orchestratorId: string, jobId: string, page: Page): Promise<{ items: JobRun[]; nextPageToken?: string }>;
}

/** A job with its name. */
export interface NamedJob {
  readonly jobId: string;
  readonly name: string | null;
  readonly state: JobState;
  readonly schedule?: JobRecord['schedule'];
  readonly targetAction?: JobRecord['targetAction'];
}

export interface ListJobs extends Page {
  readonly orchestratorId: string;
  /** Default: all except deleted ones. */
  readonly state?: JobState;
}

/** The queue of an orchestrator. */
export interface Dispatcher {
  /** Starts the target of an envelope; idempotent by execution id. */
  dispatch(envelope: Envelope): Promise<{ executionId: string }>;
  /** Lists runs by phase, newest first. */
  queue(
    query: Page & { orchestratorId?: string; phase?: ExecutionPhase },
  ): Promise<{ items: JobRun[]; nextPageToken?: string }>;
  /** One run; EXECUTION_UNKNOWN if the orchestrator has no run with this id. */
  show(orchestratorId: string, executionId: string): Promise<JobRun & { output: Json }>;
  /** The workers that poll the orchestrator's queue. */
  workers(orchestratorId: string): Promise<readonly QueueWorker[]>;
}

/** A worker of an orchestrator's queue. */
export interface QueueWorker {
  readonly identity: string;
  readonly lastHeartbeatAt: string;
}
