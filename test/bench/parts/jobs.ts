import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewJob } from '../../../src/service/jobs-interface.js';
import { TemporalJobs } from '../../../src/temporal/schedules/jobs/temporal-jobs.js';
import type { Bench } from '../bench.js';
import { handWritten } from '../contestants/hand-written.js';
import { commandLine, configOf, environmentOf } from '../contestants/journeyman.js';
import { cpuMs, nodeProcess } from '../processes.js';
import { scratchFolder } from '../scratch.js';
import type { Part } from './part.js';
import { firesOf, lagsOf } from './schedule-runs.js';

const journey = `apiVersion: v1
kind: Journey
metadata: { name: ticking, version: 1.0.0 }
spec:
  start: done
  states:
    done: { type: succeed }
`;

const kinds = ['journeyman', 'by-hand'] as const;
type Kind = (typeof kinds)[number];

/** Creates a job, or a bare schedule. */
type Make = (kind: Kind, id: string, everySeconds: number, anchor: number) => Promise<void>;

/** Jobs compared to bare Schedules whose workflow starts a child, as a team would write it. */
export const jobs: Part = {
  name: 'jobs',
  about: 'creating jobs, their lag, and their cost to the server; by hand bare Schedules whose workflow starts a child',
  apart: true,
  measures: [
    { id: 'job-create', title: 'creating a job: server CPU', unit: 'ms', digits: 1, aim: 1.5 },
    { id: 'job-lag', title: 'a job: lag of its run', unit: 'ms', digits: 1, aim: 1.2 },
    { id: 'job-fire', title: 'a job: server CPU per run', unit: 'ms', digits: 1, aim: 1.3 },
  ],
  async run(bench) {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'ticking.journey.yaml'), journey);
    const ours = bench.site();
    const env = { ...environmentOf(ours), JOURNEYMAN_SPECS: folder, JOURNEYMAN_SERVER_DATA_DIR: folder };
    const worker = await nodeProcess([commandLine, 'worker'], 'Worker polls', env);
    const theirs = await bench.enter(handWritten, []);
    const service = new TemporalJobs(bench.client, configOf(ours));
    const make: Make = async (kind, id, everySeconds, anchor) => {
      if (kind === 'journeyman') await service.create(jobOf(id, everySeconds, anchor), id);
      else await createBareSchedule(bench, theirs.site.taskQueue, id, everySeconds, anchor);
    };
    try {
      await compareCreation(bench, make);
      await compareLags(bench, make);
      await compareFires(bench, make);
    } finally {
      await worker.kill();
    }
  },
};

async function createBareSchedule(
  { client }: Bench,
  taskQueue: string,
  id: string,
  everySeconds: number,
  anchor: number,
) {
  const every = everySeconds * 1000;
  await client.schedule.create({
    scheduleId: id,
    spec: { intervals: [{ every, offset: anchor % every }], startAt: new Date(anchor - 1) },
    action: { type: 'startWorkflow', workflowType: 'parent', workflowId: id, taskQueue },
  });
}

function jobOf(id: string, everySeconds: number, anchor: number): NewJob {
  const now = new Date().toISOString();
  return {
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
}

const created = 40;

async function compareCreation(bench: Bench, make: Make): Promise<void> {
  const anchor = Date.UTC(2090, 0, 1);
  await bench.inTurn(kinds, 1, async (kind, repeat) => {
    const before = cpuMs(bench.server.pid);
    for (let i = 0; i < created; i++) await make(kind, `made-${kind}-${repeat}-${i}`, 3600, anchor);
    // The server's later work for them counts too.
    await sleep(1_000);
    bench.note('job-create', kind, repeat, (cpuMs(bench.server.pid) - before) / created);
  });
}

/** Pairs of schedules that fire alternately, a second apart. */
async function compareLags(bench: Bench, make: Make): Promise<void> {
  const [pairs, everySeconds] = [3, 6];
  const base = Math.ceil(Date.now() / 1000) * 1000 + 5_000;
  const ids = Array.from({ length: pairs }, (_, i) => kinds.map((kind) => ({ kind, id: `lag-${kind}-${i}` }))).flat();
  for (const [i, { kind, id }] of ids.entries()) await make(kind, id, everySeconds, base + i * 1000);
  await sleep(base - Date.now() + (bench.repeats + 1) * everySeconds * 1000 + 1_000);
  for (const { kind, id } of ids) {
    const lags = await lagsOf(bench, id, 'child');
    for (const [repeat, lag] of lags.slice(0, bench.repeats).entries()) bench.note('job-lag', kind, repeat, lag);
    await bench.client.schedule.getHandle(id).delete();
  }
}

/** Server CPU while schedules of one kind fire every second, minus the idle consumption. */
async function compareFires(bench: Bench, make: Make): Promise<void> {
  const [schedules, seconds] = [10, 5];
  const used = async (): Promise<number> => {
    const before = cpuMs(bench.server.pid);
    await sleep(seconds * 1000);
    return cpuMs(bench.server.pid) - before;
  };
  const idle = await used();
  await bench.inTurn(kinds, 1, async (kind, repeat) => {
    const base = Math.ceil(Date.now() / 1000) * 1000 + 2_000;
    const ids = Array.from({ length: schedules }, (_, i) => `fire-${kind}-${repeat}-${i}`);
    for (const id of ids) await make(kind, id, 1, base);
    await sleep(base - Date.now());
    const before = await firesOf(bench, ids);
    const cost = (await used()) - idle;
    bench.note('job-fire', kind, repeat, cost / ((await firesOf(bench, ids)) - before));
    for (const id of ids) await bench.client.schedule.getHandle(id).delete();
    await sleep(1_000);
  });
}
