import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewJob } from '../../src/service/jobs.js';
import { TemporalJobs } from '../../src/temporal/jobs/jobs.js';
import { tsToMs } from '../../src/temporal/sdk.js';
import { median } from './clock.js';
import { cpuMs } from './processes.js';
import { startBench } from './stack.js';

/** Jobs next to bare Schedules whose workflow starts a child: what a team would write by hand for the same. */
const journey = `apiVersion: v1
kind: Journey
metadata: { name: ticking, version: 1.0.0 }
spec:
  start: done
  states:
    done: { type: succeed }
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-jobs-'));
writeFileSync(join(folder, 'ticking.journey.yaml'), journey);
const bench = await startBench({ JOURNEYMAN_SPECS: folder, JOURNEYMAN_SERVER_DATA_DIR: folder });
const { server, taskQueue, client } = bench;
const jobs = new TemporalJobs(client, bench.config);

type Kind = 'ours' | 'bare';
const kinds: readonly Kind[] = ['ours', 'bare'];

async function make(kind: Kind, id: string, everySeconds: number, anchor: number): Promise<void> {
  if (kind === 'bare') {
    await client.schedule.create({
      scheduleId: id,
      spec: {
        intervals: [{ every: everySeconds * 1000, offset: anchor % (everySeconds * 1000) }],
        startAt: new Date(anchor),
      },
      action: { type: 'startWorkflow', workflowType: 'parent', workflowId: id, taskQueue: `${taskQueue}-hand` },
    });
    return;
  }
  const now = new Date().toISOString();
  const job: NewJob = {
    jobId: id,
    orchestratorId: 'main',
    name: null,
    createdBy: { caller: 'bench' },
    schedule: { type: 'interval', everySeconds, anchorAt: new Date(anchor).toISOString() },
    targetAction: { type: 'workflow_start', workflowId: 'ticking' },
    targetRef: null,
    state: 'enabled',
    misfirePolicy: 'fire_once_on_recovery',
    allowOverlap: false,
    maxDurationSec: 3600,
    createdAt: now,
    updatedAt: now,
  };
  await jobs.create(job, id);
}

/** Milliseconds from each nominal time to the end of the first workflow task of the child. */
async function lags(scheduleId: string): Promise<number[]> {
  const { info } = await client.workflowService.describeSchedule({ namespace: 'default', scheduleId });
  const out: number[] = [];
  for (const { scheduleTime, startWorkflowResult } of info?.recentActions ?? []) {
    const { events } = await client.workflow.getHandle(startWorkflowResult!.workflowId!).fetchHistory();
    const child = events?.find((it) => it.childWorkflowExecutionStartedEventAttributes)
      ?.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    if (!child) continue;
    const history = await client.workflow.getHandle(child).fetchHistory();
    const first = history.events?.find((it) => it.workflowTaskCompletedEventAttributes);
    if (first) out.push(tsToMs(first.eventTime) - tsToMs(scheduleTime));
  }
  // The first run of each is also the first that its worker sees.
  return out.slice(1);
}

const each = 8;
const rounds = Number(process.env.BENCH_ROUNDS ?? 6);

/** Ours and bare ones in turn, a second apart. */
async function compareLags(): Promise<void> {
  const base = Math.ceil(Date.now() / 1000) * 1000 + 5_000;
  const made: Record<Kind, string[]> = { ours: [], bare: [] };
  for (let i = 0; i < each; i++)
    for (const [k, kind] of kinds.entries()) {
      const id = `lag-${kind}-${i}`;
      await make(kind, id, each * 2, base + (i * 2 + k) * 1000);
      made[kind].push(id);
    }
  await sleep(base - Date.now() + each * 2000 * rounds);
  const found: Record<Kind, number[]> = { ours: [], bare: [] };
  for (const kind of kinds)
    for (const id of made[kind]) {
      found[kind].push(...(await lags(id)));
      await client.schedule.getHandle(id).delete();
    }
  const line = (values: number[]) => `median ${median(values)} ms, ${values.length} runs`;
  console.log('Lag from the nominal time to the target’s first state');
  console.log(`  a job                                    ${line(found.ours)}`);
  console.log(`  a bare Schedule whose workflow has a child ${line(found.bare)}`);
  console.log(`  ratio of medians ${(median(found.ours) / median(found.bare)).toFixed(2)} (aim 1.2)`);
}

const [busy, stretches, seconds] = [10, 3, 10];

/** Server CPU while each kind fires, less what the server uses when nothing does; the two take turns. */
async function compareFires(): Promise<void> {
  const idle = await cpuOver(() => sleep(seconds * 1000));
  const cost: Record<Kind, number[]> = { ours: [], bare: [] };
  for (let stretch = 0; stretch < stretches; stretch++)
    for (const kind of kinds) {
      const base = Math.ceil(Date.now() / 1000) * 1000 + 2_000;
      const ids = Array.from({ length: busy }, (_, i) => `fire-${kind}-${stretch}-${i}`);
      for (const id of ids) await make(kind, id, 1, base);
      await sleep(base - Date.now());
      const before = await actions(ids);
      const used = await cpuOver(() => sleep(seconds * 1000));
      const fires = (await actions(ids)) - before;
      cost[kind].push((used - idle) / fires);
      for (const id of ids) await client.schedule.getHandle(id).delete();
      await sleep(1_000);
    }
  console.log('Server CPU per fire');
  for (const kind of kinds) console.log(`  ${kind}  median ${median(cost[kind]).toFixed(1)} ms`);
  console.log(`  ratio of medians ${(median(cost.ours) / median(cost.bare)).toFixed(2)} (aim 1.3)`);
}

async function actions(ids: string[]): Promise<number> {
  const all = await Promise.all(
    ids.map((scheduleId) => client.workflowService.describeSchedule({ namespace: 'default', scheduleId })),
  );
  return all.reduce((sum, { info }) => sum + Number(info?.actionCount ?? 0), 0);
}

async function cpuOver(work: () => Promise<unknown>): Promise<number> {
  const before = cpuMs(server.pid);
  await work();
  return cpuMs(server.pid) - before;
}

const [makings, madeEach] = [5, 40];

/** What it costs the server to make a job, next to a bare Schedule; the two take turns. */
async function compareCreation(): Promise<void> {
  const cost: Record<Kind, number[]> = { ours: [], bare: [] };
  const took: Record<Kind, number[]> = { ours: [], bare: [] };
  const anchor = Date.UTC(2090, 0, 1);
  for (let round = 0; round < makings; round++)
    for (const kind of kinds) {
      const began = performance.now();
      const used = await cpuOver(async () => {
        for (let i = 0; i < madeEach; i++) await make(kind, `made-${kind}-${round}-${i}`, 3600, anchor);
        took[kind].push((performance.now() - began) / madeEach);
        // What the server does with it afterwards counts too.
        await sleep(1_000);
      });
      cost[kind].push(used / madeEach);
    }
  console.log('Making one');
  for (const kind of kinds)
    console.log(`  ${kind}  ${median(cost[kind]).toFixed(1)} ms of server CPU, ${median(took[kind]).toFixed(1)} ms`);
  console.log(`  ratio of CPU ${(median(cost.ours) / median(cost.bare)).toFixed(2)} (aim 1.5)`);
}

const only = process.env.BENCH_ONLY;
if (only === undefined || only === 'job-making') await compareCreation();
if (only === undefined || only === 'job-fires') await compareFires();
if (only === undefined || only === 'job-lags') await compareLags();
await bench.stop();
rmSync(folder, { recursive: true, force: true });
