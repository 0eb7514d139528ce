import { randomUUID } from 'node:crypto';
import { Client, Connection, type ScheduleSpec } from '@temporalio/client';
import fc from 'fast-check';
import Long from 'long';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compile } from '../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { isCoalescedSlot } from '../../src/schedules/cadence/detect-coalesced-slot.js';
import { enumerate, isCoalesced } from '../../src/schedules/cadence/occurrences.js';
import { serverTimes } from '../../src/schedules/cadence/predict-server-times.js';
import { readCron } from '../../src/schedules/cadence/read-cadence-fields.js';
import { transitions } from '../../src/schedules/cadence/zone-transitions.js';
import { cronCase } from '../fuzz/cron/generate.js';
import { Random } from '../fuzz/dataweave/random.js';
import { cadences, cron, interval, madeAt, windowOf } from '../unit/schedules/cadence/support/cadences.js';

const runs = Number(process.env.CADENCES ?? 100);
/** The server returns at most this many times. */
const most = 1000;
const day = 86_400_000;

describe.concurrent('cadences on a real server', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    connection = await Connection.connect({ address: inject('temporalAddress') });
    client = new Client({ connection });
  });
  afterAll(() => connection.close());

  /** The times at which the server would start a spec, after `after` and up to `until`. */
  async function matchingTimes(spec: ScheduleSpec, after: number, until: number): Promise<number[]> {
    const scheduleId = `cadence-${randomUUID()}`;
    const handle = await client.schedule.create({
      scheduleId,
      spec,
      action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
      state: { paused: true },
    });
    const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
      namespace: 'default',
      scheduleId,
      startTime: { seconds: Long.fromNumber(after / 1000) },
      endTime: { seconds: Long.fromNumber(until / 1000) },
    });
    await handle.delete();
    return startTime.map(({ seconds }) => Number(seconds) * 1000);
  }

  it.each([
    ['America/New_York', ['30 2 * * *', '30 1 * * *', '*/30 * * * *', '*/30 */2 * * *']],
    ['Australia/Lord_Howe', ['15 2 * * *', '45 1 * * *', '*/30 * * * *', '*/30 */2 * * *']],
    ['Africa/Cairo', ['0 0 * * *', '30 0 * * *', '30 23 * * *', '*/30 * * * *', '*/30 */2 * * *']],
    ['Europe/Berlin', ['30 2 * * *', '30 1 * * *', '*/30 * * * *', '* */2 * * *']],
    ['America/Havana', ['0 9 * * sun', '*/5 * * * sun', '0 9 * * sat', '0 0 13 * sun']],
  ])('follows the rules through both clock changes of %s', async (zone, expressions) => {
    for (const expression of expressions) {
      const cadence = cron(expression, zone);
      const { spec } = compile(cadence, { now: madeAt });
      for (const { at } of transitions(zone, madeAt, madeAt + 370 * day)) {
        const [after, until] = [at - 2 * day, at + 2 * day];
        const found = await matchingTimes(spec, after, until);
        const end = found.length < most ? until : found.at(-1)!;
        const counted = found.filter((time) => !isCoalesced(cadence, time));
        expect(difference(counted, enumerate(cadence, after, { until: end })), expression).toBeUndefined();
      }
    }
  });

  it('P1M from 31 January is correct across a leap year (R0-02)', async () => {
    const cadence = interval('P1M', '2027-01-31T09:00:00Z');
    const until = Date.UTC(2035, 0, 1);
    const found = await matchingTimes(compile(cadence, { now: madeAt }).spec, madeAt, until);
    expect(difference(found, enumerate(cadence, madeAt, { until }))).toBeUndefined();
    expect(found.slice(0, 3).map((time) => new Date(time).toISOString())).toEqual([
      '2027-01-31T09:00:00.000Z',
      '2027-02-28T09:00:00.000Z',
      '2027-03-31T09:00:00.000Z',
    ]);
  });

  it('accepts a single instant and a comment of any length', async () => {
    const at = Date.UTC(2027, 11, 24, 18, 30, 5);
    expect(await matchingTimes(compile({ kind: 'once', at }, { now: madeAt }).spec, madeAt, at + day)).toEqual([at]);
    const minutes = Array.from({ length: 60 }, (_, i) => i).join();
    const long = cron(`${minutes} ${minutes.slice(0, 61)} * * *`, 'Europe/Berlin');
    expect(await matchingTimes(compile(long, { now: madeAt }).spec, madeAt, madeAt + 60_000)).toHaveLength(1);
  });

  it(`starts exactly the runs of ${runs * 3} random cron expressions around clock changes, coalesced ones aside (SCH-D9, SCH-T11)`, async () => {
    const random = new Random(Number(process.env.CADENCE_SEED ?? 5));
    for (let compared = 0; compared < runs * 3; ) {
      const { expression, zone, change } = cronCase(random);
      const { cadence } = readCron(expression, zone);
      // No spec makes the server run after a whole skipped day; one such day exists in the past.
      if (!cadence || Math.abs(change.after - change.before) > day / 2) continue;
      compared++;
      const { spec } = compile(cadence, { now: change.at - 5 * day });
      const [after, until] = [change.at - 1.5 * day, change.at + 2 * day];
      const found = await matchingTimes(spec, after, until);
      const end = found.length < most ? until : found.at(-1)!;
      const ours = enumerate(cadence, after, { until: end });
      const extra = found.filter((time) => !ours.includes(time));
      expect(ours.filter((time) => !found.includes(time)).slice(0, 5), `${expression} ${zone} loses`).toEqual([]);
      expect(extra.filter((time) => !isCoalescedSlot(cadence, time)).slice(0, 5), `${expression} ${zone} adds`).toEqual(
        [],
      );
    }
  }, 600_000);

  it(`enumerates ${runs} random cadences as the server does, coalesced times aside (R3-41, T19)`, async () => {
    await fc.assert(
      fc.asyncProperty(cadences, fc.double({ min: 0, max: 0.999, noNaN: true }), async (cadence, pick) => {
        const { spec, completeUntil = Number.POSITIVE_INFINITY } = compile(cadence, { now: madeAt });
        const { after, until: wished } = windowOf(cadence, pick);
        const until = Math.min(wished, completeUntil);
        const found = await matchingTimes(spec, after, until);
        const end = found.length < most ? until : found.at(-1)!;
        const runs = found.filter((time) => !isCoalesced(cadence, time));
        expect(difference(found, serverTimes(spec, after, end))).toBeUndefined();
        expect(difference(runs, enumerate(cadence, after, { until: end }))).toBeUndefined();
      }),
      { numRuns: runs, ...(process.env.CADENCE_SEED && { seed: Number(process.env.CADENCE_SEED) }) },
    );
  }, 600_000);
});

/** A few times around the first difference between two lists. */
function difference(server: number[], ours: number[]) {
  const at = [...server, 0].findIndex((time, i) => time !== (ours[i] ?? 0));
  if (at < 0 && server.length === ours.length) return undefined;
  const around = (times: number[]) =>
    times.slice(Math.max(0, at - 2), at + 4).map((time) => new Date(time).toISOString());
  return { at, server: around(server), ours: around(ours) };
}
