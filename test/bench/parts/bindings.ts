import { setTimeout as sleep } from 'node:timers/promises';
import { TemporalSchedules } from '../../../src/temporal/schedules/bindings/temporal-bindings.js';
import type { Bench, Entrant } from '../bench.js';
import type { Contestant } from '../contestants/contestant.js';
import { handWritten } from '../contestants/hand-written.js';
import { configOf, journeyman } from '../contestants/journeyman.js';
import { cpuMs } from '../processes.js';
import type { Part } from './part.js';
import { byCallers } from './runs.js';

const [created, listed, pageSize, listings] = [40, 1000, 100, 3];
const farFuture = new Date('2090-01-01T00:00:00Z');

/** The cost of schedules of subjects compared to bare ones, without runs. */
export const bindings: Part = {
  name: 'bindings',
  about: 'creating and listing schedules of subjects; by hand bare Schedules',
  apart: true,
  measures: [
    { id: 'binding-cpu', title: 'creating a schedule: server CPU', unit: 'ms', digits: 1 },
    { id: 'binding-list', title: 'listing 1,000 schedules, 100 at a time', unit: 'ms', aim: 1.3 },
  ],
  async run(bench) {
    const site = bench.site();
    let next = 0;
    const create = (contestant: Contestant) =>
      contestant.schedule(site, `made-${contestant.name}-${next++}`, 3600, farFuture);
    await bench.inTurn([journeyman, handWritten], 1, async (contestant, repeat) => {
      const before = cpuMs(bench.server.pid);
      for (let i = 0; i < created; i++) await create(contestant);
      // The server's later work for them counts too.
      await sleep(1_000);
      bench.note('binding-cpu', contestant.name, repeat, (cpuMs(bench.server.pid) - before) / created);
    });
    await byCallers(16, listed - bench.repeats * created, () => create(journeyman));
    await compareLists(bench, site);
  },
};

async function compareLists(bench: Bench, site: Entrant['site']): Promise<void> {
  const schedules = new TemporalSchedules(bench.client, configOf(site));
  const lists: Record<'journeyman' | 'by-hand', ListPage> = {
    journeyman: (pageToken) => schedules.list({ journeyName: 'nothing', pageSize, ...(pageToken && { pageToken }) }),
    'by-hand': (pageToken) => listBare(bench, pageToken),
  };
  while ((await pages(lists.journeyman)) < listed) await sleep(200);
  await bench.inTurn(['journeyman', 'by-hand'] as const, listings, async (who, repeat) => {
    const began = performance.now();
    const count = await pages(lists[who]);
    if (count !== listed) throw new Error(`${count} schedules are listed`);
    bench.note('binding-list', who, repeat, performance.now() - began);
  });
}

type ListPage = (pageToken?: string) => Promise<{ items: unknown[]; nextPageToken?: string }>;

async function listBare({ client }: Bench, pageToken = ''): ReturnType<ListPage> {
  const { schedules, nextPageToken } = await client.workflowService.listSchedules({
    namespace: 'default',
    maximumPageSize: pageSize,
    query: "ScheduleKind = 'binding' AND JourneyName = 'nothing'",
    nextPageToken: Buffer.from(pageToken, 'base64url'),
  });
  const next = Buffer.from(nextPageToken).toString('base64url');
  return { items: schedules, ...(next !== '' && { nextPageToken: next }) };
}

async function pages(list: ListPage): Promise<number> {
  let page = await list();
  let count = page.items.length;
  while (page.nextPageToken !== undefined) {
    page = await list(page.nextPageToken);
    count += page.items.length;
  }
  return count;
}
