import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { load } from '../../../src/language/load-journey.js';
import { document } from '../engine/harness.js';
import { play, seconds } from './play.js';

const execution = { maxDurationSec: 60, onTimeout: { errorCode: 'SLOW', reason: 'too slow' } };

/** A journey that sleeps and ends. */
const sleeping = (timer: JsonObject, more: JsonObject = {}): JsonObject => ({
  start: 'sleep',
  states: { sleep: { type: 'timer', timer, next: 'end' }, end: { type: 'succeed' } },
  ...more,
});

const findingsOf = (spec: JsonObject) =>
  load({ text: JSON.stringify(document(spec, 'jsonata')) }).findings.map(({ code }) => code);

describe('a timer accepts', () => {
  const part = (unit: string) => fc.option(fc.nat(5000)).map((n) => (n === null ? '' : `${n}${unit}`));
  const duration = fc
    .tuple(part('Y'), part('M'), part('W'), part('D'), part('H'), part('M'), part('S'))
    .map(([years, months, weeks, days, ...time]) => [years + months + weeks + days, time.join('')] as const)
    .filter(([date, time]) => date + time !== '')
    .map(([date, time]) => `P${date}${time === '' ? '' : `T${time}`}`);

  it('R2-02 R2-01 any ISO 8601 duration', () => {
    fc.assert(
      fc.property(duration, (text) => {
        expect(findingsOf(sleeping({ duration: text }))).toEqual(['START_SYNC_TIMER']);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['PT1.5H', 5400],
    ['PT0,5M', 30],
    ['P0.5D', 43_200],
    ['P1DT0.25S', 86_400.25],
  ])('R2-02 %s with a fraction in its last part', async (duration, expected) => {
    const { run } = await play(sleeping({ duration }));
    expect((await run.toEnd()).endedAt).toBe(seconds(expected));
  });

  it.each(['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.123456789+05:30', '2028-02-29t23:59:59z'])(
    'R2-04 the RFC 3339 timestamp %s',
    (until) => {
      expect(findingsOf(sleeping({ until }))).toEqual(['START_SYNC_TIMER']);
    },
  );

  it('R2-09 R2-24 a time beyond the deadline', () => {
    expect(findingsOf(sleeping({ duration: 'P1D' }, { execution }))).toEqual(['START_SYNC_TIMER']);
  });
});

describe('a timer of a waiting run', () => {
  it('R2-19 R2-21 is in its position and status, with its due time', async () => {
    const { run, clock } = await play(sleeping({ duration: 'PT90S' }));
    await run.until(seconds(30));
    expect(run.status).toMatchObject({
      currentState: 'sleep',
      activeStates: [{ state: 'sleep', type: 'timer', dueAt: '2030-01-01T00:01:30.000Z' }],
    });
    expect(run.activeSteps).toEqual([]);
    expect(clock.idle).toBe(false);
  });

  it('R2-20 needs no process to wait for it', async () => {
    const { run } = await play(sleeping({ duration: 'P10Y' }));
    expect([run.resting, run.ended]).toEqual([true, false]);
  });

  it('R2-14 keeps its due time across continue-as-new', async () => {
    const branches = ['sleep', 'other'].map((name, i) => ({
      name,
      start: 'busy',
      states: {
        busy: { type: 'timer', timer: { duration: `PT${i * 10}S` }, next: 'rest' },
        rest: { type: 'timer', timer: { duration: 'PT60S' }, next: 'end' },
        end: { type: 'succeed' },
      },
    }));
    const spec = {
      start: 'both',
      states: {
        both: { type: 'parallel', parallel: { branches, join: { strategy: 'allOf' } }, next: 'end' },
        end: { type: 'succeed' },
      },
    };
    const { run } = await play(spec, { wantsContinue: ({ trail }) => trail.entries.length >= 4 });
    await run.until(seconds(20));
    expect(run.continued).toBeGreaterThan(0);
    expect(run.status.activeStates.map(({ dueAt }) => dueAt)).toEqual([
      '2030-01-01T00:01:00.000Z',
      '2030-01-01T00:01:10.000Z',
    ]);
    await run.toEnd();
    expect(run.endedAt).toBe(seconds(70));
  });

  it('R2-16 may be part of a scheduled run', async () => {
    const { run } = await play(sleeping({ duration: 'PT1M' }), { info: { scheduled: true } });
    expect((await run.toEnd()).outcome).toMatchObject({ phase: 'SUCCEEDED' });
    const scheduling = {
      start: 'plan',
      states: {
        plan: { type: 'task', task: { kind: 'schedule:v1', start: 'sleep', interval: 'P1D', maxRuns: 3 }, next: 'end' },
        sleep: { type: 'timer', timer: { duration: 'PT1M' }, next: 'end' },
        end: { type: 'succeed' },
      },
    };
    expect(findingsOf(scheduling)).toEqual([]);
  });
});

describe('a run that has ended', () => {
  const ends = {
    'was cancelled': { spec: sleeping({ duration: 'P1D' }), kind: 'Cancel' },
    'ran out of time': { spec: sleeping({ duration: 'P1D' }, { execution }), kind: 'Timeout' },
  };

  it.each(Object.entries(ends))('R2-07 R2-08 R2-10 R2-24 because it %s leaves no timer', async (_, { spec, kind }) => {
    const { run, clock } = await play(spec);
    await run.until(seconds(30));
    if (kind === 'Cancel') run.cancel();
    else await run.toEnd();
    await run.until(seconds(61));
    expect(run.outcome).toMatchObject({ phase: 'FAILED', terminationKind: kind, terminatedAtState: 'sleep' });
    expect(clock.idle).toBe(true);
    expect(run.visits.map(({ state }) => state)).toEqual(['sleep']);
  });

  it('R2-07 because a branch won leaves no timer of the others', async () => {
    const branch = (name: string, timer: JsonObject) => ({ name, ...sleeping(timer) });
    const branches = [branch('quick', { duration: 'PT1S' }), branch('slow', { duration: 'P1Y' })];
    const { run, clock } = await play({
      start: 'race',
      states: {
        race: { type: 'parallel', parallel: { branches, join: { strategy: 'anyOf' } }, next: 'end' },
        end: { type: 'succeed' },
      },
    });
    await run.toEnd();
    expect([run.endedAt, clock.idle]).toEqual([seconds(1), true]);
  });
});
