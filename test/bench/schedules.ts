import { setTimeout as sleep } from 'node:timers/promises';
import { TypedSearchAttributes } from '@temporalio/common';
import { load } from '../../src/language/load.js';
import { idOfBinding } from '../../src/temporal/schedules/binding-id.js';
import { createBinding } from '../../src/temporal/schedules/create.js';
import { TemporalSchedules } from '../../src/temporal/schedules/manage.js';
import { tsToMs } from '../../src/temporal/sdk.js';
import type { JourneyInput } from '../../workflows/input.js';
import { attributesOf, pairs } from '../../workflows/search-attributes.js';
import { prepared } from '../support/prepared.js';
import { median } from './clock.js';
import { cpuMs } from './processes.js';
import { startBench } from './stack.js';

/** Schedules of each kind, a second apart, ours and bare ones in turn; and how often each fires. */
const [schedulesEach, rounds] = [8, Number(process.env.BENCH_ROUNDS ?? 6)];
const [bindings, pageSize, listings] = [1000, 100, 9];

/** The first state is a timer, so the first workflow task is recorded as soon as that state has run. */
const ticking = (startAt: string) => `apiVersion: v1
kind: Journey
metadata: { name: ticking, version: 1.0.0 }
spec:
  start: plan
  states:
    plan:
      type: task
      task:
        kind: schedule:v1
        start: tick
        startAt: "${startAt}"
        interval: PT${schedulesEach * 2}S
        maxRuns: 1000
        subjectId: { mapper: { lang: dataweave, expr: context.user } }
      next: done
    done: { type: succeed }
    tick: { type: timer, timer: { duration: PT0.001S }, next: count }
    count: { type: transform, transform: { mapper: { lang: dataweave, expr: "context ++ { n: context.n + 1 }" }, target: { kind: context } }, next: done }
`;

const definitionOf = (text: string) => {
  const { definition, findings } = load({ text }, { minScheduleIntervalSec: 1 });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
};

const bench = await startBench({ JOURNEYMAN_LIMITS_SCHEDULE_INTERVAL_SEC: '1' });
const { server, taskQueue, client, config, runs } = bench;
const schedules = new TemporalSchedules(client, config);

async function makeSchedules(base: number): Promise<{ ours: string[]; bare: string[] }> {
  const made = { ours: [] as string[], bare: [] as string[] };
  for (let i = 0; i < schedulesEach; i++) {
    const definition = definitionOf(ticking(new Date(base + i * 2000).toISOString()));
    const body = { user: `u${i}`, n: 0 };
    await runs.start({ ...prepared(definition, body), mode: 'sync', caller: 'bench' });
    const key = { journeyName: 'ticking', journeyVersion: '1.0.0', subjectId: `u${i}`, startStateId: 'tick' };
    made.ours.push(await idOfBinding(client, key));
    const scheduleId = `bare-${i}`;
    await client.schedule.create({
      scheduleId,
      spec: {
        intervals: [{ every: schedulesEach * 2000, offset: (base + i * 2000 + 1000) % (schedulesEach * 2000) }],
        startAt: new Date(base),
      },
      action: {
        type: 'startWorkflow',
        workflowType: 'nothing',
        workflowId: scheduleId,
        taskQueue: `${taskQueue}-hand`,
      },
    });
    made.bare.push(scheduleId);
  }
  return made;
}

/** Milliseconds from each nominal time to the end of the run's first workflow task. */
async function lags(scheduleId: string): Promise<number[]> {
  const { info } = await client.workflowService.describeSchedule({ namespace: 'default', scheduleId });
  const out: number[] = [];
  for (const { scheduleTime, startWorkflowResult } of info?.recentActions ?? []) {
    const { events } = await client.workflow.getHandle(startWorkflowResult!.workflowId!).fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
    if (first) out.push(tsToMs(first.eventTime) - tsToMs(scheduleTime));
  }
  // The first run of each is also the first that its worker sees.
  return out.slice(1);
}

async function compareLags(): Promise<void> {
  const base = Math.ceil(Date.now() / 1000) * 1000 + 20_000;
  const made = await makeSchedules(base);
  await sleep(base - Date.now() + schedulesEach * 2000 * rounds);
  const found = { ours: [] as number[], bare: [] as number[] };
  for (const kind of ['ours', 'bare'] as const) {
    for (const id of made[kind]) found[kind].push(...(await lags(id)));
    for (const id of made[kind]) await client.schedule.getHandle(id).delete();
  }
  const line = (values: number[]) =>
    `median ${median(values)} ms, p99 ${percentile(values, 0.99)} ms, ${values.length} runs`;
  console.log('Lag from the nominal time to the end of the first workflow task');
  console.log(`  a binding's first state      ${line(found.ours)}`);
  console.log(`  a bare Schedule, no journey  ${line(found.bare)}`);
  console.log(`  ratio of medians ${(median(found.ours) / median(found.bare)).toFixed(2)} (aim 1.2)`);
}

function percentile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
}

async function compareLists(): Promise<void> {
  const definition = definitionOf(ticking('2090-01-01T00:00:00Z'));
  const input = { definition, info: { environment: 'bench', config: {} }, limits: config.limits.expression };
  const memo = { links: true, cancellable: true, tags: [], definition: '' };
  const source = { input: input as unknown as JourneyInput, memo, taskQueue };
  let next = 0;
  const make = async () => {
    while (next < bindings) {
      const n = next++;
      const request = {
        journeyName: 'listed',
        journeyVersion: '1.0.0',
        startStateId: 'tick',
        subjectId: `subject-${n}`,
        startAt: '2090-01-01T00:00:00.000Z',
        interval: 'P1M',
        maxRuns: 12,
        onExisting: 'addAnother' as const,
        creator: `bench/${n}`,
        context: { n, filler: 'x'.repeat(1000) },
      };
      await createBinding(client, request, source);
    }
  };
  await Promise.all(Array.from({ length: 16 }, make));
  const query = { journeyName: 'listed', pageSize };
  while ((await pages((pageToken) => schedules.list({ ...query, ...pageToken }))) < bindings) await sleep(200);
  const raw = (token: { pageToken?: string }) =>
    client.workflowService
      .listSchedules({
        namespace: 'default',
        maximumPageSize: pageSize,
        query: "ScheduleKind = 'binding' AND JourneyName = 'listed'",
        nextPageToken: Buffer.from(token.pageToken ?? '', 'base64url'),
      })
      .then(({ schedules: items, nextPageToken }) => {
        const text = Buffer.from(nextPageToken).toString('base64url');
        return { items, ...(text !== '' && { nextPageToken: text }) };
      });
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < listings; i++) {
    theirs.push(await timed(() => pages(raw)));
    mine.push(await timed(() => pages((pageToken) => schedules.list({ ...query, ...pageToken }))));
  }
  console.log(`Listing ${bindings} bindings in pages of ${pageSize}`);
  console.log(`  ours  median ${median(mine).toFixed(0)} ms`);
  console.log(`  bare  median ${median(theirs).toFixed(0)} ms`);
  console.log(`  ratio of medians ${(median(mine) / median(theirs)).toFixed(2)} (aim 1.3)`);
}

/** Rounds, and how many of each kind are made in one. */
const [makings, madeEach] = [5, 40];

/** What it costs the server to make a binding, next to a bare Schedule; the two take turns. */
async function compareCreation(): Promise<void> {
  const definition = definitionOf(ticking('2090-01-01T00:00:00Z'));
  const input = { definition, info: { environment: 'bench', config: {} }, limits: config.limits.expression };
  const memo = { links: true, cancellable: true, tags: [], definition: '' };
  const source = { input: input as unknown as JourneyInput, memo, taskQueue };
  const startAt = '2090-01-01T00:00:00.000Z';
  const binding = async (n: number, interval: string) => {
    const key = { journeyName: 'made', journeyVersion: '1.0.0', startStateId: 'tick', subjectId: `s-${n}-${interval}` };
    const rest = { startAt, interval, maxRuns: 12, onExisting: 'fail' as const, creator: `made/${n}`, context: { n } };
    await createBinding(client, { ...key, ...rest }, source);
  };
  const kinds: Record<string, (n: number) => Promise<unknown>> = {
    'a bare Schedule': (n) =>
      client.schedule.create({
        scheduleId: `made-${n}`,
        spec: { intervals: [{ every: '1h' }], startAt: new Date(startAt) },
        action: {
          type: 'startWorkflow',
          workflowType: 'nothing',
          workflowId: `made-${n}`,
          taskQueue: `${taskQueue}-hand`,
        },
      }),
    'one with as much in it': (n) => {
      const named = pairs({ ...attributesOf(definition, { tags: [], attributes: { subjectId: `s-${n}` } }) });
      const attributes = new TypedSearchAttributes(named);
      return client.schedule.create({
        scheduleId: `full-${n}`,
        spec: { intervals: [{ every: '1h' }], startAt: new Date(startAt) },
        typedSearchAttributes: attributes,
        action: {
          type: 'startWorkflow',
          workflowType: 'nothing',
          workflowId: `full-${n}`,
          taskQueue: `${taskQueue}-hand`,
          args: [input],
          memo: { journey: memo, binding: { n, interval: 'PT1H', startAt, creator: `made/${n}` }, context: { n } },
          typedSearchAttributes: attributes,
        },
      });
    },
    'a binding, PT1H': (n) => binding(n, 'PT1H'),
    'a binding, P1M': (n) => binding(n, 'P1M'),
    'a run that makes one': (n) => start(definition, { user: `run-${n}`, n: 0 }),
    'a run of nothing': (n) => start(nothing, { n }),
  };
  const nothing = { ...definition, start: 'done' };
  const start = (it: typeof definition, body: { n: number; user?: string }) =>
    runs.start({ ...prepared(it, body), mode: 'sync', caller: 'bench' });
  const cost = new Map<string, { cpu: number[]; took: number[] }>();
  for (let round = 0; round < makings; round++)
    for (const [kind, make] of Object.entries(kinds)) {
      const [served, began] = [cpuMs(server.pid), performance.now()];
      for (let i = 0; i < madeEach; i++) await make(round * madeEach + i);
      const took = (performance.now() - began) / madeEach;
      // What the server does with it afterwards counts too.
      await sleep(1_000);
      const entry = cost.get(kind) ?? { cpu: [], took: [] };
      entry.cpu.push((cpuMs(server.pid) - served) / madeEach);
      entry.took.push(took);
      cost.set(kind, entry);
    }
  console.log('Making a schedule, server CPU and time each');
  for (const [kind, { cpu, took }] of cost) {
    const ratio = median(cpu) / median(cost.get('a bare Schedule')!.cpu);
    const figures = `${median(cpu).toFixed(1)} ms of CPU, ${median(took).toFixed(1)} ms`;
    console.log(`  ${kind.padEnd(22)} ${figures}, ratio ${ratio.toFixed(2)}`);
  }
  const cpuOf = (kind: string) => median(cost.get(kind)!.cpu);
  const making = cpuOf('a run that makes one') - cpuOf('a run of nothing');
  const ratio = making / cpuOf('a bare Schedule');
  console.log(`  what making one adds to a run: ${making.toFixed(1)} ms of CPU, ratio ${ratio.toFixed(2)} (aim 1.5)`);
}

type Lister = (token: { pageToken?: string }) => Promise<{ items: unknown[]; nextPageToken?: string }>;

async function pages(list: Lister): Promise<number> {
  let [count, pageToken]: [number, string | undefined] = [0, undefined];
  do {
    const page: Awaited<ReturnType<Lister>> = await list(pageToken === undefined ? {} : { pageToken });
    count += page.items.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return count;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const only = process.env.BENCH_ONLY;
if (only === undefined || only === 'lags') await compareLags();
if (only === undefined || only === 'making') await compareCreation();
if (only === undefined || only === 'lists') await compareLists();
await bench.stop();
