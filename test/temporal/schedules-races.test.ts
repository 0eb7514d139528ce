import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BindingRequest } from '../../src/schedules/bindings/binding-record.js';
import { finishRun } from '../../src/temporal/schedules/bindings/admit-and-finish-runs.js';
import type { BindingSource } from '../../src/temporal/schedules/bindings/binding-action.js';
import { bindingSchedule } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import { createBinding } from '../../src/temporal/schedules/bindings/create-binding.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import type { JourneyInput } from '../../workflows/journey/workflow-contract.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';

/** Bindings with concurrent races, and races on each. */
const [side, rounds] = [5, 40];

describe('concurrent writers', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  let source: BindingSource;
  beforeAll(async () => {
    rigged = await rig();
    schedules = new TemporalSchedules(rigged.client, rigged.config);
    const definition = journeyOf(counting({ name: 'raced' }));
    const input = { definition, info: { environment: 'test', config: {} }, limits: rigged.config.limits.expression };
    const memo = { links: true, cancellable: true, tags: [], definition: '' };
    source = { input: input as unknown as JourneyInput, memo, taskQueue: rigged.config.temporal.taskQueue };
  });
  afterAll(() => rigged.stop());

  const request = (subjectId: string, creator: string, n: number): BindingRequest => ({
    journeyName: 'raced',
    journeyVersion: '1.0.0',
    startStateId: 'tick',
    subjectId,
    startAt: '2090-01-01T00:00:00.000Z',
    interval: 'P1D',
    maxRuns: 1_000_000,
    onExisting: 'upsert',
    creator,
    context: { n },
  });

  it(`${side * rounds} races of write-backs with pause, update and upsert keep the changes of both sides`, async () => {
    await Promise.all(Array.from({ length: side }, (_, i) => race(`s${i}`)));
  });

  async function race(subject: string): Promise<void> {
    const { scheduleId: id } = await createBinding(rigged.client, request(subject, 'first', 0), source);
    let [creator, generation, runs, paused] = ['first', 1, 0, false];
    let maxRuns = 1_000_000;
    const back = (run: string, n: number) => {
      const at = Date.now();
      const finished = { scheduleId: id, creator, id: run, run, nominal: at, startedAt: at, handsOn: true };
      return finishRun(rigged.client, { ...finished, result: 'SUCCEEDED' }, { n });
    };
    for (let round = 1; round <= rounds; round++) {
      const n = round * 10;
      switch (round % 4) {
        case 0: {
          paused = !paused;
          const toggle = paused ? schedules.pause(id, 'race') : schedules.resume(id, 'race');
          await Promise.all([back(`${round}`, n), toggle]);
          runs += 1;
          break;
        }
        case 1:
          maxRuns += 1;
          await Promise.all([back(`${round}`, n), schedules.update(id, { maxRuns })]);
          runs += 1;
          break;
        case 2:
          maxRuns += 1;
          paused = true;
          await Promise.all([
            back(`${round}`, n),
            schedules.update(id, { maxRuns }),
            schedules.pause(id, 'race'),
            // A worker that died after its write retries.
            back(`${round}`, n),
          ]);
          runs += 1;
          break;
        default: {
          const upsert = createBinding(rigged.client, request(subject, `${round}`, n + 1), source);
          await Promise.all([back(`${round}-old`, n), upsert]);
          [creator, generation, runs, maxRuns] = [`${round}`, generation + 1, 0, 1_000_000];
        }
      }
      const { record, context, paused: isPaused } = await until(rigged, id, () => true);
      const expected = { generation, runs, maxRuns, paused, n: round % 4 === 3 ? n + 1 : n };
      const found = { generation: record.generation, runs: record.runsExecuted, maxRuns: record.maxRuns };
      expect({ ...found, paused: isPaused, n: context.n }, `${subject} ${round}`).toEqual(expected);
    }
  }

  it('a repeated write counts once, even after its key was dropped from the record, and so does a repeated creation', async () => {
    const { scheduleId: id } = await createBinding(rigged.client, request('forgotten', 'first', 0), source);
    const run = {
      scheduleId: id,
      creator: 'first',
      id: 'r',
      run: 'r',
      nominal: Date.now(),
      startedAt: Date.now(),
      handsOn: true,
      result: 'SUCCEEDED',
    };
    await finishRun(rigged.client, run, { n: 1 });
    for (let i = 0; i < 25; i++) await schedules.update(id, { maxRuns: 1_000 + i });
    await finishRun(rigged.client, run, { n: 1 });
    // Its creator retries too.
    expect(await createBinding(rigged.client, request('forgotten', 'first', 0), source)).toEqual({ scheduleId: id });
    expect(await schedules.show(id)).toMatchObject({ runsExecuted: 1, lastContext: { n: 1 }, maxRuns: 1_024 });
  });

  it('a concurrent pause, trigger and change are all applied', async () => {
    const startAt = '2090-01-01T00:00:00Z';
    await rigged.start(counting({ name: 'together', interval: 'P1D', maxRuns: 1_000, startAt }), { user: 'x', n: 0 });
    const id = binding('x', 'together');
    for (let round = 1; round <= 10; round++) {
      const maxRuns = 1_000 + round;
      const { overlapSkipped } = await until(rigged, id, () => true);
      const [{ recent }] = await Promise.all([
        bindingSchedule(rigged.client, id).trigger('skip', { nominal: Date.now(), overlapSkipped }),
        schedules.pause(id, 'together'),
        schedules.update(id, { maxRuns }),
      ]);
      await rigged.client.workflow.getHandle(recent.at(-1)!.id).result();
      expect(await schedules.show(id)).toMatchObject({
        state: 'paused',
        runsExecuted: round,
        lastContext: { n: round },
        maxRuns,
      });
      await schedules.resume(id, 'next');
    }
  });

  it('no occurrence is lost while the bound changes continuously', async () => {
    await rigged.start(counting({ name: 'steady', interval: 'PT2S', maxRuns: 500 }), { user: 'x', n: 0 });
    const id = binding('x', 'steady');
    const before = await until(rigged, id, ({ record }) => record.runsExecuted >= 2);
    const end = Date.now() + 16_000;
    let changes = 0;
    // A busy machine needs longer for the same number of changes.
    while (Date.now() < end || changes <= 20) {
      const { runsExecuted, lastContext } = await schedules.update(id, { maxRuns: 500 + (changes++ % 2) });
      expect(lastContext.n).toBe(runsExecuted);
      await sleep(5);
    }
    const { occurrences } = await schedules.show(id);
    const after = await until(rigged, id, () => true);
    await schedules.delete(id);
    expect(occurrences.missed).toBe(0);
    expect(occurrences.ran).toBeGreaterThan(before.record.occurrences.ran);
    expect(occurrences.ran + occurrences.overlapped).toBeGreaterThanOrEqual(8);
    // Only if a run took longer than its interval, which the server then reports.
    const { overlapped } = before.record.occurrences;
    expect(occurrences.overlapped - overlapped).toBe(after.overlapSkipped - before.overlapSkipped);
  });
});
