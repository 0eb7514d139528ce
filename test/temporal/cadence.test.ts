import { randomUUID } from 'node:crypto';
import { Client, Connection, type ScheduleSpec } from '@temporalio/client';
import fc from 'fast-check';
import Long from 'long';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compile } from '../../src/scheduling/cadence/compile.js';
import { enumerate, isCoalesced } from '../../src/scheduling/cadence/occurrences.js';
import { serverTimes } from '../../src/scheduling/cadence/server-times.js';
import { cadences, madeAt, windowOf } from '../unit/scheduling/support/cadences.js';

const runs = Number(process.env.CADENCES ?? 100);
/** The server answers with at most this many times. */
const most = 1000;

describe('cadences on a real server', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    connection = await Connection.connect({ address: inject('temporalAddress') });
    client = new Client({ connection });
  });
  afterAll(() => connection.close());

  /** What the server itself says it would start for a spec, after `after` and up to `until`. */
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

/** The few times around the first place where two lists differ. */
function difference(server: number[], ours: number[]) {
  const at = [...server, 0].findIndex((time, i) => time !== (ours[i] ?? 0));
  if (at < 0 && server.length === ours.length) return undefined;
  const around = (times: number[]) =>
    times.slice(Math.max(0, at - 2), at + 4).map((time) => new Date(time).toISOString());
  return { at, server: around(server), ours: around(ours) };
}
