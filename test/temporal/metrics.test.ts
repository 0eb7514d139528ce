import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/base/json/value.js';
import type { RunTools } from '../../src/cli/run/run-command-deps.js';
import { runCommand } from '../../src/cli/run/run-subcommands.js';
import { runReport } from '../../src/temporal/runs/run-diagnostics.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { prepared } from '../support/prepared.js';
import { journeyOf, type Rig, rig, startBroken } from './support/rig.js';
import { binding, counting } from './support/schedules.js';
import { gatewayProcess, type WorkerProcess, workerProcess } from './support/worker-process.js';

const patience = { timeout: 30_000, interval: 100 };
const far = '2090-01-01T00:00:00Z';

describe('metrics of a worker and its runs', () => {
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

  it('TEL-2 the metrics of the language exist', async () => {
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
  });

  it('HOME-5 TEL-2 every metric in the dashboard and the alert rules exists in a worker or a gateway', async () => {
    const gateway = await gatewayProcess({
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
      JOURNEYMAN_GATEWAY_PORT: '0',
    });
    // The series of failed workflow tasks appears with the first failure.
    const blocked = await startBroken(rigged);
    const read = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
    const { groups } = parse(read('prometheus/alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
    const rules = groups.flatMap((group) => group.rules.map(({ expr }) => expr));
    const dashboard = JSON.parse(read('grafana/journeyman.json')) as { panels: { targets: { expr: string }[] }[] };
    const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const metricsIn = (query: string) =>
      query.match(/\b(?:journey|journeyman|temporal|process|nodejs)_[a-z0-9_]+/g) ?? [];
    expect([...rules, ...panels].filter((query) => metricsIn(query).length === 0)).toEqual([]);
    expect([rules.length > 9, panels.length > 8]).toEqual([true, true]);
    const missing = async () => {
      const printed = `${await metrics()}${await (await fetch(`${gateway.url}/metrics`)).text()}`;
      const known = new Set([...printed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
      const named = [...rules, ...panels].flatMap(metricsIn).map((name) => name.replace(/_(?:bucket|count|sum)$/, ''));
      return [...new Set(named)].filter((name) => !known.has(name));
    };
    await expect.poll(missing, patience).toEqual([]);
    await blocked.terminate();
    await gateway.stop();
  });

  it('FLT-4 a failed workflow task is counted, and `run show` shows why the run is stuck', async () => {
    const handle = await startBroken(rigged);
    const failed = () => counted('temporal_workflow_task_execution_failed_total', { workflow_type: 'journey' });
    await expect.poll(failed, patience).toBeGreaterThan(0);
    const report = async () => JSON.parse(await shown(handle.workflowId, '--format', 'json')) as Record<string, Json>;
    await expect.poll(report, patience).toMatchObject({
      journeyId: handle.workflowId,
      phase: 'RUNNING',
      endedAt: null,
      failingTask: { cause: 'WORKFLOW_WORKER_UNHANDLED_FAILURE', reason: expect.stringMatching(/undefined/) },
    });
    expect(await shown(handle.workflowId)).toMatch(/Blocked +its workflow task failed \d+ times/);
    await handle.terminate();
    expect(await shown(handle.workflowId)).toMatch(/Error +RUN_TERMINATED/);
  });

  it('FLT-16 run outcomes are counted by journey and code, also of a scheduled run that reaches a wait', async () => {
    const waiting = '    after: { type: timer, timer: { duration: PT0.1S }, next: end }';
    const definition = journeyOf(counting({ name: 'meeting', interval: 'P1D', startAt: far, after: waiting }));
    // A document cannot express this: the loader rejects it.
    const wait = { type: 'wait', schema: true, next: 'end' };
    const states = { ...definition.states, after: wait } as unknown as typeof definition.states;
    const start = { ...prepared({ ...definition, states }, { user: 'm', n: 0 }), mode: 'sync' as const };
    const { journeyId } = await rigged.runs.start({ ...start, caller: 'test' });
    const ended = (labels: Record<string, string>) =>
      counted('journeyman_runs_ended_total', { journey: 'meeting', ...labels });
    await expect.poll(() => ended({ phase: 'SUCCEEDED', code: '', scheduled: 'false' }), patience).toBe(1);
    expect(await shown(journeyId)).toMatch(/Phase +SUCCEEDED\nAt +done\n[\s\S]*"went": "on"/);

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
