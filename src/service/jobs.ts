import type { Json } from '../json/value.js';
import type { DispatchResult, Envelope, Origin, Phase } from '../scheduling/jobs/envelope.js';
import type { JobRecord, JobState, PublicJob } from '../scheduling/jobs/record.js';
import type { Page } from './schedules.js';

/** A job as a list shows it. */
export interface JobSummary extends PublicJob {
  /** From Temporal alone; null when it will not fire by itself. */
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastResult: { readonly outcome: DispatchResult['outcome'] | 'running'; readonly code: string | null } | null;
  /** The cadence in words. */
  readonly cadence: string;
}

/** A job as a whole. */
export interface JobView extends JobSummary {
  /** What its Schedule says about itself: while it is paused, by whom and why. */
  readonly note: string;
  readonly nextRuns: readonly string[];
  readonly activeRuns: readonly string[];
  /** What became of every time it was due, those that no run has covered yet included. */
  readonly occurrences: {
    readonly ran: number;
    readonly missed: number;
    readonly overlapped: number;
    readonly coalesced: number;
  };
  readonly drift: readonly string[];
}

/** A run of an orchestrator: of one of its jobs, or of something it was asked directly. */
export interface JobRun {
  readonly executionId: string;
  readonly jobId: string | null;
  readonly orchestratorId: string;
  readonly origin: Origin;
  readonly triggeredAt: string;
  readonly phase: Phase;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly result: DispatchResult | null;
  /** The journey's run, if the target was one. */
  readonly journeyId: string | null;
}

/** What is left to decide about a job is in the record already: the caller has checked access, targets and forms. */
export type NewJob = PublicJob;

/**
 * Where jobs live. `src/temporal/jobs` is the one implementation; every method throws a ProblemError (JOB_UNKNOWN, RUN_ACTIVE, …) when it
 * cannot do what it says. A job of another orchestrator is unknown.
 */
export interface Jobs {
  /** The same `key` makes the same job. */
  create(job: NewJob, key: string): Promise<JobView>;
  list(query: ListJobs): Promise<{ items: JobSummary[]; nextPageToken?: string }>;
  /** All but deleted ones, as people speak about them; the schedule only of those that are `wanted`: reading one costs a request. */
  named(orchestratorId: string, wanted: (job: NamedJob) => boolean): Promise<NamedJob[]>;
  show(orchestratorId: string, jobId: string): Promise<JobView>;
  /**
   * `decide` is called with the current record, again whenever another writer came first, and returns what it becomes, or undefined for
   * nothing. It may refuse.
   */
  change(
    orchestratorId: string,
    jobId: string,
    decide: (record: JobRecord) => JobRecord | undefined,
    by?: string,
  ): Promise<JobView & { changed: boolean }>;
  /** Makes it do what its record says again, after something other than us changed its Schedule. */
  repair(orchestratorId: string, jobId: string): Promise<JobView & { changed: boolean }>;
  /** The same request id is the same run. */
  runNow(orchestratorId: string, jobId: string, requestId: string): Promise<{ executionId: string }>;
  runs(orchestratorId: string, jobId: string, page: Page): Promise<{ items: JobRun[]; nextPageToken?: string }>;
}

/** A job by what it is called. */
export interface NamedJob {
  readonly jobId: string;
  readonly name: string | null;
  readonly state: JobState;
  readonly schedule?: JobRecord['schedule'];
}

export interface ListJobs extends Page {
  readonly orchestratorId: string;
  /** Unless given: all but deleted ones. */
  readonly state?: JobState;
}

/** The one way into an orchestrator. */
export interface Dispatcher {
  /** Starts what the envelope says, or finds that it was started already. */
  dispatch(envelope: Envelope): Promise<{ executionId: string }>;
  /** What is in each phase, newest first. */
  queue(query: Page & { orchestratorId?: string; phase?: Phase }): Promise<{ items: JobRun[]; nextPageToken?: string }>;
  /** One run; EXECUTION_UNKNOWN where the orchestrator has none of this id. */
  show(orchestratorId: string, executionId: string): Promise<JobRun & { output: Json }>;
  /** The workers that take from the orchestrator's queue now; none: nothing runs until one comes. */
  workers(orchestratorId: string): Promise<readonly QueueWorker[]>;
}

/** A worker of an orchestrator's queue. */
export interface QueueWorker {
  readonly identity: string;
  readonly lastHeartbeatAt: string;
}
