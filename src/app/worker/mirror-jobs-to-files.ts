import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { EndedDispatch } from '../../../workflows/dispatch/workflow-contract.js';
import type { Audit, AuditEvent } from '../../service/audit/audit-interface.js';
import type { JobView } from '../../service/jobs-interface.js';
import type { Orchestrators } from '../../service/orchestrators.js';
import { outside, type TemporalJobs } from '../../temporal/schedules/jobs/temporal-jobs.js';
import { isUnknown } from '../../temporal/schedules/managed-schedule.js';

const everyMs = 15_000;

/**
 * Writes jobs and their runs as files below each orchestrator's root: `automation/jobs/<jobId>.json`, `automation/runs/<jobId>/<time>.json`,
 * `automation/scheduler_state.json`. Nothing reads them. Disk errors are logged and never fail a run.
 *
 * It also detects changes made with Temporal's own tools since the last sync: a pause or resumption is recorded in the audit log, and a
 * deleted Schedule is replaced by that of a deleted job, which keeps the record readable.
 */
export class JobMirror {
  private timer: NodeJS.Timeout | undefined;
  private syncing: Promise<void> = Promise.resolve();
  /** Fingerprints of the written jobs, from Temporal's list. */
  private readonly seen = new Map<string, string>();
  /** The jobs as they were last read. */
  private readonly known = new Map<string, JobView>();
  private readonly startedAt = new Date().toISOString();

  constructor(
    private readonly orchestrators: Orchestrators,
    private readonly jobs: Pick<TemporalJobs, 'entries' | 'show' | 'bury'>,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly audit: Audit,
  ) {}

  start(): void {
    const again = () => {
      this.syncing = this.sync().finally(() => {
        if (this.timer !== undefined) this.timer = setTimeout(again, everyMs).unref();
      });
    };
    this.timer = setTimeout(again, 0).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.syncing;
    await this.state('stopped');
  }

  /** Writes an ended run; its job is written with the next sync. */
  readonly ended = async ({ envelope, startedAt, journeyId, result, endedAt }: EndedDispatch): Promise<void> => {
    const { orchestratorId, jobId, executionId, triggeredAt, origin } = envelope;
    const run = {
      executionId,
      jobId,
      orchestratorId,
      origin,
      triggeredAt,
      startedAt: new Date(startedAt).toISOString(),
      endedAt,
      ...result,
      journeyId,
    };
    const file = `${triggeredAt.replaceAll(':', '-')}.json`;
    await this.write(orchestratorId, join('runs', jobId ?? 'none', jobId === null ? `${executionId}.json` : file), run);
    // A list of Schedules does not show that a run has ended.
    if (jobId !== null) this.seen.delete(jobId);
  };

  /** Writes changed jobs: other processes create and update them. */
  async sync(): Promise<void> {
    for (const { id } of this.orchestrators.all) {
      try {
        const listed = new Set<string>();
        for await (const { jobId, fingerprint } of this.jobs.entries(id)) {
          listed.add(jobId);
          if (this.seen.get(jobId) === fingerprint) continue;
          await this.job(id, jobId);
          this.seen.set(jobId, fingerprint);
        }
        for (const job of this.known.values())
          if (job.orchestratorId === id && !listed.has(job.jobId)) await this.gone(job);
      } catch (error) {
        this.log.warn({ err: error, orchestratorId: id }, 'Jobs could not be mirrored');
      }
    }
    await this.state('running');
  }

  /** Writes one job; an unreadable one does not stop the others. */
  private async job(orchestratorId: string, jobId: string): Promise<void> {
    const job = await this.jobs.show(orchestratorId, jobId).catch((error) => {
      this.log.warn({ err: error, orchestratorId, jobId }, 'A job could not be mirrored');
    });
    if (!job) return;
    await this.tellOutside(this.known.get(jobId), job);
    this.known.set(jobId, job);
    await this.write(orchestratorId, join('jobs', `${jobId}.json`), job);
  }

  /** Records a pause or resumption that left no trace in the job's own record. */
  private async tellOutside(before: JobView | undefined, job: JobView): Promise<void> {
    if (!before || before.updatedAt !== job.updatedAt || before.state === job.state) return;
    const event = job.state === 'paused' ? 'scheduler.job.paused' : 'scheduler.job.resumed';
    await this.record(event, job, before.state);
  }

  /** Buries a job whose Schedule no longer exists; maintenance removes only deleted ones. */
  private async gone(job: JobView): Promise<void> {
    const { orchestratorId, jobId, state } = job;
    const exists = await this.jobs.show(orchestratorId, jobId).then(
      () => true,
      (error) => !isUnknown(error),
    );
    // A list may lag behind.
    if (exists) return;
    this.known.delete(jobId);
    this.seen.delete(jobId);
    if (state === 'deleted' || !(await this.jobs.bury(job))) return;
    await this.record('scheduler.job.deleted', { ...job, state: 'deleted' }, state);
    await this.job(orchestratorId, jobId);
  }

  private async record(event: AuditEvent, { orchestratorId, jobId, state, note }: JobView, before: JobView['state']) {
    const detail = { note };
    await this.audit.record({
      event,
      orchestratorId,
      jobId,
      by: { caller: outside },
      before: { state: before },
      after: { state },
      detail,
    });
  }

  private async state(state: 'running' | 'stopped'): Promise<void> {
    for (const { id } of this.orchestrators.all)
      await this.write(id, 'scheduler_state.json', {
        state,
        startedAt: this.startedAt,
        lastHeartbeatAt: new Date().toISOString(),
        pid: process.pid,
      });
  }

  /** Writes atomically: readers never see half a file. */
  private async write(orchestratorId: string, name: string, value: object): Promise<void> {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    try {
      const path = join(this.orchestrators.get(orchestratorId).root, 'automation', name);
      await mkdir(dirname(path), { recursive: true });
      const partial = `${path}.${randomUUID()}`;
      await writeFile(partial, text, { mode: 0o600 });
      await rename(partial, path);
    } catch (error) {
      this.log.warn({ err: error, orchestratorId, file: name }, 'The mirror of jobs could not be written');
    }
  }
}
