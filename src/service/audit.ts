import type { JsonObject } from '../json/value.js';
import type { CreatedBy } from '../scheduling/jobs/record.js';

/** The orchestrator whose log tells what belongs to none: what was done to single runs, to schedules of journeys and to pipelines. */
export const mainOrchestrator = 'main';

/** Everything that the log of an orchestrator tells. */
export type AuditEvent =
  | 'scheduler.started'
  | 'scheduler.stopped'
  | 'scheduler.job.created'
  | 'scheduler.job.updated'
  | 'scheduler.job.paused'
  | 'scheduler.job.resumed'
  | 'scheduler.job.deleted'
  | 'scheduler.job.run_now'
  | 'scheduler.job.repaired'
  | 'scheduler.trigger.due'
  | 'scheduler.trigger.dispatched'
  | 'scheduler.trigger.completed'
  | 'scheduler.trigger.failed'
  | 'scheduler.misfire.fire_once'
  | 'scheduler.misfire.skip_missed'
  | 'run.started'
  | 'run.submitted'
  | 'run.cancelled'
  | 'run.retried'
  | 'run.reset'
  | 'run.moved'
  | 'schedule.paused'
  | 'schedule.resumed'
  | 'schedule.updated'
  | 'schedule.repaired'
  | 'schedule.run_now'
  | 'schedule.deleted'
  | 'schedule.moved'
  | 'pipeline.triggered'
  | 'pipeline.paused'
  | 'pipeline.resumed'
  | 'pipeline.resolved'
  | 'pipeline.deployed'
  | 'pipeline.removed';

/** One line of it: who did what to what. */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly orchestratorId: string;
  readonly jobId?: string | null;
  /** The schedule of a journey. */
  readonly scheduleId?: string;
  /** The name of a pipeline. */
  readonly pipeline?: string;
  readonly executionId?: string;
  /** The request that did it, as the log of the gateway names it. */
  readonly requestId?: string;
  /** Absent when the product itself did it. */
  readonly by?: CreatedBy;
  /** What a change found and what it left behind: the changed fields alone. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** A code and words where something failed, and whatever else helps. */
  readonly detail?: JsonObject;
}

/** Writes the log of what was done in each orchestrator. It never rejects: a full disk must not stop a job. */
export interface Audit {
  /** Adds the time. */
  record(entry: AuditEntry): Promise<void>;
}

/** A log that keeps nothing. */
export const noAudit: Audit = { record: async () => undefined };
