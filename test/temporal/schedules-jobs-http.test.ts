import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ProcessPart } from '../../src/app/run-until-stopped.js';
import { startGateway } from '../../src/app/start-gateway.js';
import type { JsonObject } from '../../src/base/json/value.js';
import type { Config } from '../../src/config/config-types.js';
import { loadConfig } from '../../src/config/load-config.js';
import { readLibrary } from '../../src/library/read-library.js';
import type { JobRun, JobView } from '../../src/service/jobs-interface.js';
import { connect } from '../../src/temporal/connection.js';
import { eventually } from '../support/eventually.js';
import { useTestSecret } from './support/secret.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const greet = `
apiVersion: v1
kind: Journey
metadata: { name: greet, version: 1.0.0 }
spec:
  start: say
  input: { schema: { type: object, properties: { name: { type: string } }, additionalProperties: false } }
  states:
    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ said: 'hello ' ++ context.name }" }, target: { kind: var }, resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
`;

const configured = `
orchestrators:
  eng: { journeys: [greet] }
  ops: {}
channelProfiles:
  chat: { channel: slack, orchestratorId: eng }
`;

describe('jobs over HTTP, with a configured gateway and worker', () => {
  let folder: string;
  let config: Config;
  let gateway: ProcessPart & { url: string };
  const taskQueue = `jobs-http-${randomUUID()}`;
  let worker: WorkerProcess | undefined;
  const log = pino({ level: 'silent' });
  const address = inject('temporalAddress');

  const file = () => join(folder, 'journeyman.config.yaml');
  const env = () => ({
    TEMPORAL_ADDRESS: address,
    JOURNEYMAN_CONFIG: file(),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
    JOURNEYMAN_GATEWAY_PORT: '0',
  });
  const start = async (yaml: string) => {
    writeFileSync(file(), yaml);
    config = loadConfig({ cwd: folder, env: env() });
    worker = await workerProcess(env());
    gateway = await startGateway(config, await readLibrary(config), log);
  };
  const stop = async () => {
    await gateway?.stop(0);
    await worker?.stop();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobs-http-'));
    mkdirSync(join(folder, 'specs'));
    writeFileSync(join(folder, 'specs', 'greet.journey.yaml'), greet);
    const { client, close } = await connect(loadConfig({ cwd: folder, env: { TEMPORAL_ADDRESS: address } }));
    await useTestSecret(client);
    await close();
    await start(configured);
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  const send = async <T = JobView & { code: string }>(
    method: string,
    path: string,
    body?: JsonObject,
    key?: string,
  ) => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  const runs = async (jobId: string) =>
    (await send<{ items: JobRun[] }>('GET', `/jobs/${jobId}/runs?orchestratorId=eng`)).body.items;
  /** Waits for a response. */
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T> =>
    (await eventually(look, (found) => found !== undefined))!;
  const newJob = (more: JsonObject): JsonObject => ({
    orchestratorId: 'eng',
    targetAction: { type: 'workflow_start', workflowId: 'greet', inputs: { name: 'Ada' } },
    ...more,
  });
  const yearly = { scheduleType: 'cron', schedule: { expression: '0 0 1 1 *', timezone: 'UTC' } };

  it('R3-15 R3-28 R3-33 R3-58 X3-05 a job requested in a channel runs, and its record is readable afterwards', async () => {
    const runAt = new Date(Math.ceil((Date.now() + 2_000) / 1000) * 1000).toISOString();
    const said = '/jobs?channelProfileId=chat&senderId=U42&sender=Dana&requestMessageId=m-1';
    const { orchestratorId: _, ...args } = newJob({ scheduleType: 'once', schedule: { runAt } });
    const made = await send('POST', said, args);
    expect([made.status, made.body.orchestratorId, made.body.nextRunAt]).toEqual([201, 'eng', runAt]);
    expect((await send('POST', said, args)).body.jobId).toBe(made.body.jobId);
    const { jobId } = made.body;
    const run = await until(async () => (await runs(jobId)).find(({ phase }) => phase === 'done'));
    expect(run).toMatchObject({
      orchestratorId: 'eng',
      origin: 'schedule',
      triggeredAt: runAt,
      result: { outcome: 'succeeded', occurrences: [{ count: 1, reason: 'run' }] },
    });
    const shown = await send<{ output: JsonObject }>(
      'GET',
      `/queue/${encodeURIComponent(run.executionId)}?orchestratorId=eng`,
    );
    expect(shown.body.output).toEqual({ said: 'hello Ada' });
    const over = await until(async () => {
      const { body } = await send('GET', `/jobs/${jobId}?orchestratorId=eng`);
      return body.state === 'disabled' && body.lastResult?.outcome !== 'running' ? body : undefined;
    });
    expect(over).toMatchObject({ nextRunAt: null, lastResult: { outcome: 'succeeded' } });
    expect((await send('POST', `/jobs/${jobId}/resume?orchestratorId=eng`)).body.code).toBe('JOB_INVALID');
    expect((await send('GET', `/jobs/${jobId}?orchestratorId=ops`)).status).toBe(404);
    const log = readFileSync(join(folder, '.journeyman/orchestrators/eng/automation/audit.jsonl'), 'utf8');
    const events = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; jobId?: string; by?: object });
    const mine = events.filter((it) => it.jobId === jobId);
    expect(mine.map(({ event }) => event)).toEqual([
      'scheduler.job.created',
      'scheduler.trigger.due',
      'scheduler.trigger.dispatched',
      'scheduler.trigger.completed',
    ]);
    expect(mine[0]?.by).toMatchObject({ channelProfileId: 'chat', senderId: 'U42', sender: 'Dana' });
    expect(events[0]?.event).toBe('scheduler.started');
  });

  it('SCH-D4 three requests with one id create one run, also of a paused job', async () => {
    const { jobId } = (await send('POST', '/jobs', newJob(yearly))).body;
    await send('POST', `/jobs/${jobId}/pause?orchestratorId=eng`);
    const now = () => send<{ executionId: string }>('POST', `/jobs/${jobId}/run-now?orchestratorId=eng`, {}, 'one');
    const started = await Promise.all([now(), now(), now()]);
    expect(new Set(started.map(({ status, body }) => `${status} ${body.executionId}`)).size).toBe(1);
    const done = await until(async () => {
      const found = await runs(jobId);
      return found.length > 0 && found.every(({ phase }) => phase === 'done') ? found : undefined;
    });
    expect(done).toMatchObject([
      { origin: 'run_now', executionId: started[0]!.body.executionId, result: { outcome: 'succeeded' } },
    ]);
    expect((await send('GET', `/jobs/${jobId}?orchestratorId=eng`)).body).toMatchObject({ state: 'paused' });
  });

  it('R3-52 SCH-D19 a permission revoked after the creation of a job fails its run with ACCESS_DENIED', async () => {
    const { jobId } = (await send('POST', '/jobs', newJob(yearly))).body;
    await stop();
    await start(configured.replace('[greet]', '[]'));
    await send('POST', `/jobs/${jobId}/run-now?orchestratorId=eng`, {});
    const run = await until(async () => (await runs(jobId)).find(({ phase }) => phase === 'done'));
    expect(run.result).toMatchObject({ outcome: 'failed', reason: { code: 'ACCESS_DENIED' } });
    // Nothing was started: no run has the id that the journey's run would have had.
    expect((await send('GET', `/journeys/${run.journeyId}`)).status).toBe(404);
    expect((await send('POST', '/jobs', newJob(yearly))).body.code).toBe('ACCESS_DENIED');
  });
});
