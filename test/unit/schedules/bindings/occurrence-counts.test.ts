import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindingCadence, wasCountedWithoutRun } from '../../../../src/schedules/bindings/binding-record.js';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { countBetween, isOccurrence, nextAfter } from '../../../../src/schedules/cadence/occurrences.js';
import {
  accountBindingRun,
  accountGap,
  emptyAccount,
  type OccurrenceAccount,
  recordRecovered,
} from '../../../../src/schedules/occurrence-counts.js';
import { occurrencesNow } from '../../../../src/temporal/schedules/bindings/binding-occurrence-counts.js';
import type { BindingSnapshot } from '../../../../src/temporal/schedules/bindings/binding-schedule.js';
import { nominalTime } from '../../../../src/temporal/schedules/check-and-extend-start-times.js';

const at = (text: string) => Date.parse(text);
const startAt = '2030-01-31T09:00:00.000Z';
const hourly = bindingCadence({ startAt, interval: 'PT1H' });

describe('occurrence counts of a binding', () => {
  const before = emptyAccount(at(startAt) - 1);
  const nothing = { started: [], skipped: 0 };
  const run = (nominal: string, startedAt: string, until: string) => ({
    nominal: at(nominal),
    startedAt: at(startedAt),
    until: at(until),
  });

  it.each([
    ['a run on time', run('2030-01-31T09:00:00Z', '2030-01-31T09:00:01Z', '2030-01-31T09:00:02Z'), [1, 0, 0]],
    [
      'a run after an outage, with the oldest time',
      run('2030-01-31T09:00:00Z', '2030-01-31T12:30:00Z', '2030-01-31T12:30:01Z'),
      [1, 3, 0],
    ],
    [
      'a run that overlaps two others',
      run('2030-01-31T09:00:00Z', '2030-01-31T09:00:01Z', '2030-01-31T11:10:00Z'),
      [1, 0, 2],
    ],
    ['a run after a pause', run('2030-01-31T12:00:00Z', '2030-01-31T12:00:01Z', '2030-01-31T12:00:02Z'), [1, 3, 0]],
    [
      'a manual run for a future time',
      run('2030-01-31T15:00:00Z', '2030-01-31T10:20:01Z', '2030-01-31T10:20:02Z'),
      [0, 2, 0],
    ],
    ['a manual run', run('2030-01-31T10:20:00Z', '2030-01-31T10:20:01Z', '2030-01-31T10:20:02Z'), [0, 2, 0]],
  ] as const)('%s', (_, seen, [ran, missed, overlapped]) => {
    expect(accountBindingRun(hourly, before, seen, nothing)).toEqual({
      through: new Date(seen.until).toISOString(),
      ran,
      missed,
      overlapped,
    });
  });

  it('include a terminated run if the Schedule lists it', () => {
    const seen = run('2030-01-31T11:00:00Z', '2030-01-31T11:00:01Z', '2030-01-31T11:00:02Z');
    const started = [at('2030-01-31T09:00:00Z'), at('2030-01-31T11:00:00Z')];
    expect(accountBindingRun(hourly, before, seen, { started, skipped: 0 })).toMatchObject({ ran: 2, missed: 1 });
  });

  it('use the server’s count for occurrences while a counted run was closing', () => {
    const first = run('2030-01-31T09:00:00Z', '2030-01-31T09:00:01Z', '2030-01-31T09:59:59Z');
    const next = run('2030-01-31T12:00:00Z', '2030-01-31T12:00:01Z', '2030-01-31T12:00:02Z');
    const closing = accountBindingRun(hourly, before, first, nothing);
    const skipped = { started: [], skipped: 1 };
    expect(accountBindingRun(hourly, closing, next, skipped)).toMatchObject({ ran: 2, missed: 1, overlapped: 1 });
    expect(accountGap(hourly, closing, at('2030-01-31T10:00:00Z'), skipped)).toMatchObject({
      missed: 0,
      overlapped: 1,
    });
    const long = run('2030-01-31T09:00:00Z', '2030-01-31T09:00:01Z', '2030-01-31T10:10:00Z');
    expect(accountBindingRun(hourly, before, long, skipped)).toMatchObject({ ran: 1, missed: 0, overlapped: 1 });
  });

  it('include every occurrence exactly once for any runs', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 5 * 3600 }),
      late: fc.integer({ min: 0, max: 5 * 3600 }),
      lasts: fc.integer({ min: 0, max: 5 * 3600 }),
      byHand: fc.boolean(),
      skipped: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.constantFrom('PT1H', 'P1D', 'P1M'), fc.array(step, { maxLength: 30 }), (interval, steps) => {
        const cadence = bindingCadence({ startAt, interval });
        let account: OccurrenceAccount = before;
        let now = at(startAt) - 1;
        for (const { wait, late, lasts, byHand, skipped } of steps) {
          now += wait * 1000 + 1;
          const nominal = byHand ? now : now + 1 - countBetween(cadence, now, now + 1);
          const seen = { nominal, startedAt: nominal + late * 1000, until: nominal + (late + lasts) * 1000 };
          account = accountBindingRun(cadence, account, seen, { started: [], skipped });
          now = seen.until;
        }
        account = accountGap(cadence, account, now + 86_400_000, nothing);
        const { through, ran, missed, overlapped } = account;
        expect(ran + missed + overlapped).toBe(countBetween(cadence, at(startAt) - 1, at(through)));
      }),
    );
  });

  it('include each run once, also an immediate first one and those of a slow server', () => {
    const ms = fc.integer({ min: 0, max: 5000 });
    const run = fc.record({ late: ms, lasts: ms, closes: fc.nat(300) });
    fc.assert(
      fc.property(
        fc.constantFrom('PT2S', 'PT3S', 'PT1M'),
        ms,
        fc.array(run, { minLength: 1 }),
        (interval, ago, runs) => {
          const now = at(startAt) + ago;
          const times = { startAt, interval };
          const cadence = bindingCadence(times);
          const first = compile(cadence, { now, runAtOnce: true }).spec.startAt!.getTime();
          const createdAt = new Date(now).toISOString();
          let occurrences = emptyAccount(first - 1, true);
          const record = { ...times, createdAt, accountFrom: occurrences.through };
          // The nominal time of a run is in whole seconds.
          let nominal = Math.floor(nominalTime(cadence, first - 1, now) / 1000) * 1000;
          let free = now;
          for (const { late, lasts, closes } of runs) {
            const startedAt = Math.max(nominal, free) + late;
            const until = startedAt + lasts;
            const missing = wasCountedWithoutRun({ ...record, occurrences }, nominal);
            const account = accountBindingRun(cadence, occurrences, { nominal, startedAt, until }, nothing);
            occurrences = missing ? recordRecovered(account) : account;
            free = until + closes;
            // An occurrence while the run closes may still start a run, because the server checks later.
            const looked = closes % 2 === 0 ? Math.max(startedAt, until - closes) : free;
            nominal = nextAfter(cadence, Math.max(first - 1, looked))!;
          }
          const { ran, missed, overlapped, through } = occurrences;
          expect(ran).toBe(runs.length);
          expect(ran + missed + overlapped).toBe(1 + countBetween(cadence, first - 1, at(through)));
        },
      ),
    );
  });

  it('distinguish occurrences from other times', () => {
    expect(
      [startAt, '2030-01-31T10:00:00Z', '2030-01-31T10:00:01Z', '2030-01-31T08:00:00Z'].map((it) =>
        isOccurrence(hourly, at(it)),
      ),
    ).toEqual([true, true, false, false]);
  });
});

describe('occurrences since the last count', () => {
  const at = (second: number) => Date.UTC(2030, 0, 1) + second * 1000;
  const action = (run: string, second: number) => ({ id: run, run, nominal: at(second), startedAt: at(second) });
  const snapshot = (more: Partial<BindingSnapshot>): BindingSnapshot => {
    const record = { interval: 'PT10S', startAt: new Date(at(0)).toISOString(), maxRuns: 9, runsExecuted: 1 };
    const account = { through: new Date(at(5)).toISOString(), ran: 1, missed: 0, overlapped: 0 };
    const state = { record: { ...record, accounted: ['counted'], overlapSkipped: 0, occurrences: account } };
    return {
      ...state,
      recent: [],
      running: [],
      next: [],
      overlapSkipped: 0,
      paused: false,
      ...more,
    } as unknown as BindingSnapshot;
  };

  it('FLT-13 include a run that was not admitted as skipped', () => {
    const recent = [action('counted', 10), action('refused', 20)];
    const seen = occurrencesNow(snapshot({ recent, next: [at(40)] }), at(35));
    expect(seen).toMatchObject({ ran: 2, overlapped: 1, missed: 1 });
  });

  it('FLT-13 include those of a pause as missed at once, before the server has processed them', () => {
    const waiting = { next: [at(10)] };
    expect(occurrencesNow(snapshot(waiting), at(35))).toMatchObject({ ran: 1, missed: 0 });
    expect(occurrencesNow(snapshot({ ...waiting, paused: true }), at(35))).toMatchObject({ ran: 1, missed: 3 });
  });
});
