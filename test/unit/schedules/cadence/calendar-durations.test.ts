import { describe, expect, it } from 'vitest';
import type { Cadence } from '../../../../src/schedules/cadence/cadence.js';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { countBetween, enumerate, nextAfter, previousBefore } from '../../../../src/schedules/cadence/occurrences.js';
import { serverTimes } from '../../../../src/schedules/cadence/predict-server-times.js';
import { interval } from './support/cadences.js';

const dates = (cadence: Cadence, after: string, count: number) =>
  enumerate(cadence, Date.parse(after), { count }).map((instant) => new Date(instant).toISOString().slice(0, 10));

describe('calendar durations (R0-02; design: calendar arithmetic in UTC)', () => {
  it('add P1M to 31 January over two years, one of them a leap year', () => {
    const monthly = interval('P1M', '2027-01-31T09:00:00Z');
    expect(dates(monthly, '2027-01-01T00:00:00Z', 24)).toEqual(
      '2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31 2027-06-30 2027-07-31 2027-08-31 2027-09-30 2027-10-31 2027-11-30 2027-12-31 2028-01-31 2028-02-29 2028-03-31 2028-04-30 2028-05-31 2028-06-30 2028-07-31 2028-08-31 2028-09-30 2028-10-31 2028-11-30 2028-12-31'.split(
        ' ',
      ),
    );
  });

  it.each([
    ['P1M', '2028-01-30T09:00:00Z', ['2028-01-30', '2028-02-29', '2028-03-30', '2028-04-30']],
    ['P3M', '2026-11-30T00:00:00Z', ['2026-11-30', '2027-02-28', '2027-05-30', '2027-08-30']],
    ['P5M', '2026-08-31T00:00:00Z', ['2026-08-31', '2027-01-31', '2027-06-30', '2027-11-30', '2028-04-30']],
    ['P1Y', '2028-02-29T00:00:00Z', ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
    ['P1Y6M', '2026-08-31T00:00:00Z', ['2026-08-31', '2028-02-29', '2029-08-31', '2031-02-28']],
    ['P2Y', '2026-03-15T00:00:00Z', ['2026-03-15', '2028-03-15', '2030-03-15']],
    ['P1M1D', '2026-01-31T00:00:00Z', ['2026-01-31', '2026-03-01', '2026-04-02', '2026-05-03']],
    ['P2W', '2026-02-20T00:00:00Z', ['2026-02-20', '2026-03-06', '2026-03-20']],
  ])('add %s to %s', (text, anchor, expected) => {
    expect(dates(interval(text, anchor), '2026-01-01T00:00:00Z', expected.length)).toEqual(expected);
  });

  it.each(['P1M', 'P2M', 'P3M', 'P5M', 'P7M', 'P1Y', 'P18M', 'P2Y', 'P1M1D', 'P1MT12H'])(
    'compile %s from 31 January to exactly these times',
    (text) => {
      const cadence = interval(text, '2026-01-31T09:30:15Z');
      const now = Date.UTC(2026, 0, 1);
      const { spec, completeUntil = Date.UTC(2045, 0, 1) } = compile(cadence, { now });
      expect(serverTimes(spec, now, completeUntil)).toEqual(enumerate(cadence, now, { until: completeUntil }));
      expect(spec.cronExpressions).toBeUndefined();
    },
  );

  it('compile to few calendars: long months, short months, February', () => {
    const { spec } = compile(interval('P1M', '2026-01-31T09:00:00Z'), { now: Date.UTC(2026, 0, 1) });
    expect(spec).toMatchObject({ timezone: 'UTC', startAt: new Date('2026-01-31T09:00:00Z') });
    expect(spec.calendars).toHaveLength(4);
    const { spec: plain } = compile(interval('P1M', '2026-01-15T09:00:00Z'), { now: Date.UTC(2026, 0, 1) });
    expect(plain.calendars).toEqual([{ dayOfMonth: 15, hour: 9, minute: 0, second: 0, comment: 'P1M' }]);
  });

  it('compile to single times over five years if there is no pattern, and always to a few', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(compile(interval('P1M1D', '2026-01-31T09:00:00Z'), { now }).spec.calendars!.length).toBeGreaterThan(55);
    const rare = compile(interval('P4Y1D', '2026-01-31T09:00:00Z'), { now });
    expect(rare.spec.calendars!.length).toBeGreaterThanOrEqual(5);
    expect(rare.completeUntil).toBeGreaterThan(Date.UTC(2040, 0, 1));
  });
});

describe('anchored intervals (D2, K11)', () => {
  const every = interval(300, '2026-01-01T00:00:17Z');

  it('never drift from their anchor', () => {
    const far = Date.UTC(2027, 5, 1);
    const next = nextAfter(every, far)!;
    expect((next - Date.parse('2026-01-01T00:00:17Z')) % 300_000).toBe(0);
    expect(previousBefore(every, next)).toBe(next - 300_000);
  });

  it('have no occurrence before their anchor', () => {
    expect(nextAfter(every, 0)).toBe(Date.parse('2026-01-01T00:00:17Z'));
    expect(previousBefore(every, Date.parse('2026-01-01T00:00:17Z'))).toBeUndefined();
    expect(countBetween(every, 0, Date.parse('2026-01-01T00:00:17Z'))).toBe(1);
  });

  it('compile to an interval with an offset from the epoch (T14)', () => {
    const { spec } = compile(every, { now: Date.UTC(2026, 0, 2) });
    expect(spec).toEqual({
      intervals: [{ every: 300_000, offset: 17_000 }],
      startAt: new Date('2026-01-02T00:00:17Z'),
    });
  });
});
