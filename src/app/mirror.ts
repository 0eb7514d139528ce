import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { EndedDispatch } from '../../workflows/dispatch-input.js';
import type { Orchestrators } from '../service/orchestrators.js';
import type { TemporalJobs } from '../temporal/jobs/jobs.js';

const everyMs = 15_000;

/**
 * Jobs and their runs as files below each orchestrator's root, for people and for good: `automation/jobs/<jobId>.json`,
 * `automation/runs/<jobId>/<time>.json`, `automation/scheduler_state.json`. Nothing is ever read from them. A disk that fails is told in
 * the log, and never to a run.
 */
export class Mirror {
  private timer: NodeJS.Timeout | undefined;
  private syncing: Promise<void> = Promise.resolve();
  /** The jobs that were written, by what Temporal's list said of them then. */
  private readonly seen = new Map<string, string>();
  private readonly startedAt = new Date().toISOString();

  constructor(
    private readonly orchestrators: Orchestrators,
    private readonly jobs: Pick<TemporalJobs, 'entries' | 'show'>,
    private readonly log: Pick<Logger, 'warn'>,
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

  /** A run that has ended, and its job with it. */
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

  /** Writes what has changed: jobs are made and changed by other processes. */
  async sync(): Promise<void> {
    for (const { id } of this.orchestrators.all) {
      try {
        for await (const { jobId, fingerprint } of this.jobs.entries(id)) {
          if (this.seen.get(jobId) === fingerprint) continue;
          await this.job(id, jobId);
          this.seen.set(jobId, fingerprint);
        }
      } catch (error) {
        this.log.warn({ err: error, orchestratorId: id }, 'Jobs could not be mirrored');
      }
    }
    await this.state('running');
  }

  /** One that cannot be read does not keep the others from being written. */
  private async job(orchestratorId: string, jobId: string): Promise<void> {
    const job = await this.jobs.show(orchestratorId, jobId).catch((error) => {
      this.log.warn({ err: error, orchestratorId, jobId }, 'A job could not be mirrored');
    });
    if (job) await this.write(orchestratorId, join('jobs', `${jobId}.json`), job);
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

  /** Whole or not at all: readers never see half a file. */
  private async write(orchestratorId: string, name: string, value: object): Promise<void> {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    try {
      const path = join(this.orchestrators.get(orchestratorId).root, 'automation', name);
      await mkdir(dirname(path), { recursive: true });
      const partial = `${path}.${randomUUID()}`;
      await writeFile(partial, text, { mode: 0o444 });
      await rename(partial, path);
    } catch (error) {
      this.log.warn({ err: error, orchestratorId, file: name }, 'The mirror of jobs could not be written');
    }
  }
}
