import { describe, expect, it } from 'vitest';
import type { Cadence } from '../../../../src/schedules/cadence/cadence.js';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { serverTimes } from '../../../../src/schedules/cadence/predict-server-times.js';
import { cron, interval } from './support/cadences.js';

const now = Date.parse('2026-06-01T12:00:00.400Z');
const compiled = (expression: string, zone: string) => compile(cron(expression, zone), { now });

it('terminates also for a zone that skipped a whole day (Samoa, 2011)', () => {
  const made = compile(cron('0 3-18/10 29,28 * THU,6', 'Pacific/Apia'), { now: Date.UTC(2011, 11, 25) });
  expect(made.spec.calendars!.length).toBeGreaterThan(0);
});

describe('compiling a cron', () => {
  it('keeps the calendar in its zone, with the expression as a comment', () => {
    expect(compiled('0 9 * * 1-5', 'Europe/Berlin').spec).toEqual({
      timezone: 'Europe/Berlin',
      calendars: [
        {
          minute: [{ start: 0, end: 0, step: 1 }],
          hour: [{ start: 9, end: 9, step: 1 }],
          dayOfWeek: [{ start: 'MONDAY', end: 'FRIDAY', step: 1 }],
          comment: '0 9 * * 1-5 Europe/Berlin',
        },
      ],
    });
  });

  it('makes two calendars of two day fields, because Temporal combines fields with AND (T11)', () => {
    const { calendars } = compiled('0 9 13 * fri', 'UTC').spec;
    expect(calendars).toMatchObject([
      { dayOfMonth: [{ start: 13, end: 13, step: 1 }] },
      { dayOfWeek: [{ start: 'FRIDAY', end: 'FRIDAY', step: 1 }] },
    ]);
  });

  it('adds the first valid minute of each gap within five years', () => {
    const { spec, completeUntil } = compiled('30 2 * * *', 'America/New_York');
    expect(spec.calendars!.slice(1)).toMatchObject(
      [
        [2027, 14],
        [2028, 12],
        [2029, 11],
        [2030, 10],
        [2031, 9],
      ].map(([year, dayOfMonth]) => ({
        year,
        month: 'MARCH',
        dayOfMonth,
        hour: [{ start: 3, end: 3, step: 1 }],
        minute: [{ start: 0, end: 0, step: 1 }],
        comment: 'instead of 02:30, skipped by the clock',
      })),
    );
    expect(new Date(completeUntil!).getUTCFullYear()).toBe(2031);
  });

  it('compiles a cron for every hour to UTC, which has no clock changes', () => {
    expect(compiled('*/5 * * * *', 'Europe/Berlin').spec).toMatchObject({
      timezone: 'UTC',
      calendars: [{ minute: [{ start: 0, end: 55, step: 5 }], hour: '*', comment: '*/5 * * * * Europe/Berlin' }],
    });
    expect(compiled('10 * * * *', 'Pacific/Chatham').spec).toMatchObject({
      timezone: 'UTC',
      calendars: [{ minute: [{ start: 25, end: 25, step: 1 }] }],
    });
    expect(compiled('10 * * * *', 'Australia/Lord_Howe').spec.timezone).toBe('Australia/Lord_Howe');
  });

  it('never uses cron strings or skips', () => {
    for (const zone of ['UTC', 'Australia/Lord_Howe', 'America/Havana'])
      for (const expression of ['0 9 13 * fri', '*/30 */2 * * *', '15 2 * * *']) {
        const { spec } = compiled(expression, zone);
        expect(spec.cronExpressions).toBeUndefined();
        expect(spec.skip).toBeUndefined();
      }
  });
});

describe('the start of a schedule', () => {
  const five = (anchor: number): Cadence => interval('PT5M', new Date(anchor).toISOString());
  const first = (cadence: Cadence, options: object) => {
    const it_ = compile(cadence, { now, ...options });
    const [time] = serverTimes(it_.spec, now - 10_000, now + 3_600_000);
    return {
      startsNow: it_.startsNow,
      next: time === undefined ? undefined : new Date(time).toISOString().slice(11, 19),
    };
  };

  it.each([
    [
      'this second, which is the default: at once, then on the grid',
      Math.floor(now / 1000) * 1000,
      { runAtOnce: true },
      { startsNow: true, next: '12:05:00' },
    ],
    ['the next second: at that second', now, { runAtOnce: true }, { startsNow: false, next: '12:00:01' }],
    [
      'two and a half intervals ago: at once, then on the grid',
      now - 750_000,
      { runAtOnce: true },
      { startsNow: true, next: '12:02:31' },
    ],
    ['in the future: at that time', now + 60_000, { runAtOnce: true }, { startsNow: false, next: '12:01:01' }],
    ['for a job: on the grid only', now - 750_000, {}, { startsNow: false, next: '12:02:31' }],
    ['this second, for a job: the next second', now, {}, { startsNow: false, next: '12:00:01' }],
  ])('%s', (_, anchor, options, expected) => {
    expect(first(five(anchor), options)).toEqual(expected);
  });

  it('counts the run at once towards maxRuns', () => {
    const past = five(now - 750_000);
    expect(compile(past, { now, runAtOnce: true, maxRuns: 5 }).remainingActions).toBe(4);
    expect(compile(past, { now, maxRuns: 5 }).remainingActions).toBe(5);
    expect(compile(past, { now, runAtOnce: true, maxRuns: 1 }).remainingActions).toBe(0);
  });

  it('delays the occurrences of a cron', () => {
    const { spec } = compile(cron('0 * * * *'), { now, startAt: Date.parse('2026-06-01T15:30:00Z') });
    expect(spec.startAt).toEqual(new Date('2026-06-01T16:00:00Z'));
    expect(compile(cron('0 * * * *'), { now, startAt: now - 5000 }).spec.startAt).toBeUndefined();
  });

  it('is one second of one day for a single run (R3-02, T10)', () => {
    const at = Date.parse('2026-12-24T18:30:05Z');
    const { spec } = compile({ kind: 'once', at }, { now });
    expect(spec).toEqual({
      timezone: 'UTC',
      calendars: [{ year: 2026, month: 'DECEMBER', dayOfMonth: 24, hour: 18, minute: 30, second: 5 }],
    });
    expect(serverTimes(spec, now, at + 10)).toEqual([at]);
  });
});
