import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCommand } from '../../src/cli/run.js';
import type { RunTools } from '../../src/cli/run-tools.js';
import { interpreterVersion } from '../../src/engine/version.js';
import type { Json } from '../../src/json/value.js';
import { runReport } from '../../src/temporal/run-report.js';
import { TemporalSchedules } from '../../src/temporal/schedules/manage.js';
import { prepared } from '../support/prepared.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { binding, counting } from './support/schedules.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const patience = { timeout: 30_000, interval: 100 };
const far = '2090-01-01T00:00:00Z';

describe('what an operator sees of a worker and its runs', () => {
  let rigged: Rig;
  let worker: WorkerProcess;
  let port: number;
  beforeAll(async () => {
    rigged = await rig({ worker: false });
    port = await freePort();
    worker = await workerProcess({
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
      JOURNEYMAN_LIMITS_SCHEDULE_INTERVAL_SEC: '1',
      JOURNEYMAN_WORKER_HEALTH_PORT: String(port),
      JOURNEYMAN_LOG_LEVEL: 'silent',
    });
  });
  afterAll(async () => {
    await worker.stop();
    await rigged.stop();
  });

  const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  /** The value of the one series with this name and these labels. */
  const counted = async (name: string, labels: Record<string, string>) => {
    const has = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const line = (await metrics())
      .split('\n')
      .find((it) => it.startsWith(`${name}{`) && has.every((pair) => it.includes(pair)));
    return line === undefined ? 0 : Number(line.split(' ').at(-1));
  };
  async function shown(...args: string[]): Promise<string> {
    let printed = '';
    const tools: Pick<RunTools, 'report' | 'close'> = {
      report: (id) => runReport(rigged.client, rigged.runs, id),
      close: async () => undefined,
    };
    const open = async () => tools as RunTools;
    const questions = { canAsk: false, ask: async () => '' };
    const write = (text: string) => {
      printed += text;
    };
    await runCommand({ out: { write }, errors: { write }, questions, open }).parseAsync(['show', ...args], {
      from: 'user',
    });
    return printed;
  }

  it('TEL-2 the metrics of the language are there, and every one that the dashboard names', async () => {
    const labels = { journeyName: 'greets', journeyVersion: '1.0.0', kind: 'Journey' };
    await rigged.start(
      `
apiVersion: v1
kind: Journey
metadata: { name: greets, version: 1.0.0 }
spec: { start: done, states: { done: { type: succeed } } }
`,
    );
    await expect
      .poll(() => counted('journey_runs_completed_total', { ...labels, phase: 'SUCCEEDED' }), patience)
      .toBe(1);
    expect(await counted('journey_runs_started_total', labels)).toBe(1);
    expect(await counted('journey_run_duration_seconds_count', labels)).toBe(1);
    const dashboard = readFileSync(new URL('../../docs/grafana/journeyman.json', import.meta.url), 'utf8');
    const named = dashboard.match(/\b(?:journey|journeyman|temporal|process)_[a-z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(8);
    const printed = new Set([...(await metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const missing = new Set(
      named.map((name) => name.replace(/_(?:bucket|count|sum)$/, '')).filter((it) => !printed.has(it)),
    );
    expect([...missing]).toEqual([]);
  });

  it('FLT-4 a workflow task that fails is counted, and `run show` says why the run cannot go on', async () => {
    // No caller can start such a run; it stands for a bug of ours.
    const handle = await rigged.client.workflow.start('journey', {
      workflowId: `broken-${randomUUID()}`,
      taskQueue: rigged.config.temporal.taskQueue,
      args: [{ interpreter: interpreterVersion, definition: {} }],
    });
    const failed = () => counted('temporal_workflow_task_execution_failed_total', { workflow_type: 'journey' });
    await expect.poll(failed, patience).toBeGreaterThan(0);
    const report = async () => JSON.parse(await shown(handle.workflowId, '--format', 'json')) as Record<string, Json>;
    await expect.poll(report, patience).toMatchObject({
      journeyId: handle.workflowId,
      phase: 'RUNNING',
      endedAt: null,
      failingTask: { cause: 'WORKFLOW_WORKER_UNHANDLED_FAILURE', reason: expect.stringMatching(/undefined/) },
    });
    expect(await shown(handle.workflowId)).toMatch(/Cannot go on +its workflow task failed \d+ times/);
    await handle.terminate();
    expect(await shown(handle.workflowId)).toMatch(/Error +RUN_TERMINATED/);
  });

  it('FLT-16 how runs end is counted by journey and code, and shown: also a scheduled run that met a wait', async () => {
    const waiting = '    after: { type: timer, timer: { duration: PT0.1S }, next: end }';
    const definition = journeyOf(counting({ name: 'meeting', interval: 'P1D', startAt: far, after: waiting }));
    // No document can say so: the loader refuses it.
    const wait = { type: 'wait', schema: true, next: 'end' };
    const states = { ...definition.states, after: wait } as unknown as typeof definition.states;
    const start = { ...prepared({ ...definition, states }, { user: 'm', n: 0 }), mode: 'sync' as const };
    const { id } = await rigged.runs.start({ ...start, caller: 'test' });
    const ended = (labels: Record<string, string>) =>
      counted('journeyman_runs_ended_total', { journey: 'meeting', ...labels });
    await expect.poll(() => ended({ phase: 'SUCCEEDED', code: '', scheduled: 'false' }), patience).toBe(1);
    expect(await shown(id)).toMatch(/Phase +SUCCEEDED\nAt +done\n[\s\S]*"went": "on"/);

    const schedules = new TemporalSchedules(rigged.client, rigged.config);
    const { executionId } = await schedules.runNow(binding('m', 'meeting'), 'r');
    const met = { phase: 'FAILED', code: 'SCHED_PATH_INTERACTIVE', scheduled: 'true' };
    await expect.poll(() => ended(met), patience).toBe(1);
    expect(await shown(executionId)).toMatch(/Error +SCHED_PATH_INTERACTIVE: A scheduled run cannot wait/);
    await schedules.delete(binding('m', 'meeting'));
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
