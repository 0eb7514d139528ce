import type { JsonObject } from '../../base/json/value.js';
import type { CreatedBy } from '../../schedules/jobs/job-record.js';

/** The orchestrator whose log records changes of single runs, schedules of journeys and pipelines, which belong to none. */
export const mainOrchestrator = 'main';

/** Events of the audit log. */
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
  | 'run.migrated'
  | 'schedule.paused'
  | 'schedule.resumed'
  | 'schedule.updated'
  | 'schedule.repaired'
  | 'schedule.run_now'
  | 'schedule.deleted'
  | 'schedule.migrated'
  | 'pipeline.triggered'
  | 'pipeline.paused'
  | 'pipeline.resumed'
  | 'pipeline.resolved'
  | 'pipeline.deployed'
  | 'pipeline.removed';

/** An entry of the audit log. */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly orchestratorId: string;
  readonly jobId?: string | null;
  /** The schedule of a journey. */
  readonly scheduleId?: string;
  /** The name of a pipeline. */
  readonly pipeline?: string;
  readonly executionId?: string;
  /** The id of the request, as in the gateway's log. */
  readonly requestId?: string;
  /** Absent for changes by the product itself. */
  readonly by?: CreatedBy;
  /** The changed fields before and after. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** Code and message of a failure, and other details. */
  readonly detail?: JsonObject;
}

/** Writes the audit log of each orchestrator. Never rejects: a full disk must not stop a job. */
export interface Audit {
  /** Adds the time. */
  record(entry: AuditEntry): Promise<void>;
}

/** A log that discards everything. */
export const noAudit: Audit = { record: async () => undefined };
