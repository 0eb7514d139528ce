import { describe, expect, it } from 'vitest';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { movedTo } from '../../../../src/schedules/cadence/cron-occurrences.js';
import { enumerate, isCoalesced } from '../../../../src/schedules/cadence/occurrences.js';
import { serverTimes } from '../../../../src/schedules/cadence/predict-server-times.js';
import { offsetAt } from '../../../../src/schedules/cadence/zone-transitions.js';
import { preview } from '../../../../src/schedules/preview-cadence-runs.js';
import { cron } from './support/cadences.js';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const short = (instant: number) => new Date(instant).toISOString().slice(5, 16);

/** Three local days: from noon UTC on the day before a change to noon two days after it. */
function around(date: string) {
  const start = Date.parse(`${date}T12:00:00Z`);
  return { after: start, until: start + 3 * 86_400_000 };
}

/** The run of each local day in UTC; the clock changes on the second one. */
const oncePerDay: [string, string, string, string[]][] = [
  ['30 2 * * *', 'America/New_York', '2026-03-06', ['03-07T07:30', '03-08T07:00', '03-09T06:30']],
  ['30 1 * * *', 'America/New_York', '2026-03-06', ['03-07T06:30', '03-08T06:30', '03-09T05:30']],
  ['30 2 * * *', 'America/New_York', '2026-10-30', ['10-31T06:30', '11-01T07:30', '11-02T07:30']],
  ['30 1 * * *', 'America/New_York', '2026-10-30', ['10-31T05:30', '11-01T05:30', '11-02T06:30']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02', ['10-02T15:45', '10-03T15:30', '10-04T15:15']],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-10-02', ['10-02T15:15', '10-03T15:15', '10-04T14:45']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-04-03', ['04-03T15:15', '04-04T15:45', '04-05T15:45']],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-03', ['04-03T14:45', '04-04T14:45', '04-05T15:15']],
  ['0 0 * * *', 'Africa/Cairo', '2026-04-22', ['04-22T22:00', '04-23T22:00', '04-24T21:00']],
  ['30 0 * * *', 'Africa/Cairo', '2026-04-22', ['04-22T22:30', '04-23T22:00', '04-24T21:30']],
  ['30 23 * * *', 'Africa/Cairo', '2026-04-22', ['04-22T21:30', '04-23T21:30', '04-24T20:30']],
  ['0 0 * * *', 'Africa/Cairo', '2026-10-28', ['10-28T21:00', '10-29T22:00', '10-30T22:00']],
  ['30 0 * * *', 'Africa/Cairo', '2026-10-28', ['10-28T21:30', '10-29T22:30', '10-30T22:30']],
  ['30 23 * * *', 'Africa/Cairo', '2026-10-28', ['10-28T20:30', '10-29T20:30', '10-30T21:30']],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-23', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  ['30 1 * * *', 'Europe/Berlin', '2026-10-23', ['10-23T23:30', '10-24T23:30', '10-26T00:30']],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-27', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
];

describe('a fixed local time runs once per civil day (SCH-D9)', () => {
  it.each(oncePerDay)('%s in %s from %s', (expression, zone, date, expected) => {
    const { after, until } = around(date);
    expect(enumerate(cron(expression, zone), after, { until }).map(short)).toEqual(expected);
  });

  it.each(oncePerDay)(
    '%s in %s from %s: the server starts no other run that counts',
    (expression, zone, date, expected) => {
      const { after, until } = around(date);
      const cadence = cron(expression, zone);
      const started = serverTimes(compile(cadence, { now }).spec, after, until);
      expect(started.filter((time) => !isCoalesced(cadence, time)).map(short)).toEqual(expected);
    },
  );

  it('runs once for each shifted time of a gap', () => {
    const { after, until } = around('2026-03-06');
    const cadence = cron('0,20,40 2,3 * * *', 'America/New_York');
    const onTheDay = enumerate(cadence, after, { until })
      .map(short)
      .filter((time) => time.startsWith('03-08'));
    expect(onTheDay).toEqual(['03-08T07:00', '03-08T07:20', '03-08T07:40']);
  });

  it('shifts a time in a gap before midnight to the next day', () => {
    const cadence = cron('30 23 * * *', 'America/Nuuk');
    const [moved] = preview(cadence, Date.parse('2026-03-28T12:00:00Z'), 1);
    expect(moved).toMatchObject({ instant: '2026-03-29T01:00:00.000Z', local: '2026-03-29T00:00:00' });
  });

  it('keeps a weekday whose midnight is in a gap', () => {
    const cadence = cron('0 9 * * sun', 'America/Havana');
    const sunday = Date.parse('2026-03-08T13:00:00Z');
    expect(enumerate(cadence, sunday - 86_400_000, { count: 1 })).toEqual([sunday]);
    expect(serverTimes(compile(cadence, { now }).spec, sunday - 86_400_000, sunday + 1000)).toEqual([sunday]);
  });
});

/** One row per case in which the examined schedulers disagree. */
describe('where four schedulers disagree (SCH-D9)', () => {
  it.each([
    ['30 2 * * *', 'America/Los_Angeles', '2026-03-08', ['03-08T10:00']],
    ['30 1 * * *', 'America/Los_Angeles', '2026-11-01', ['11-01T08:30']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-04', ['10-03T15:30']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05', ['04-04T14:45']],
    ['0 0 * * *', 'Africa/Cairo', '2026-04-24', ['04-23T22:00']],
    // Samoa had no 30 December in 2011.
    ['0 9 * * *', 'Pacific/Apia', '2011-12-30', ['12-30T10:00']],
  ])('%s in %s on %s runs once', (expression, zone, date, expected) => {
    const cadence = cron(expression, zone);
    const midnight = Date.parse(`${date}T00:00:00Z`);
    const ran = enumerate(cadence, midnight - 26 * hour, { until: midnight + 36 * hour });
    const onTheDay = ran.filter((instant) => {
      const stands = movedTo(cadence, instant)[0] ?? instant + offsetAt(zone, instant);
      return new Date(stands).toISOString().startsWith(date);
    });
    expect(onTheDay.map(short)).toEqual(expected);
  });
});

describe('wildcard and stepped hours follow elapsed time (design: DST)', () => {
  it.each([
    ['America/New_York', '2026-03-06'],
    ['America/New_York', '2026-10-30'],
    ['Australia/Lord_Howe', '2026-04-03'],
    ['Australia/Lord_Howe', '2026-10-02'],
    ['Africa/Cairo', '2026-04-22'],
    ['Africa/Cairo', '2026-10-28'],
    ['Europe/Berlin', '2026-10-23'],
  ])('*/30 in %s from %s always waits half an hour', (zone, date) => {
    const { after, until } = around(date);
    const cadence = cron('*/30 * * * *', zone);
    const everyHalfHour = Array.from({ length: 144 }, (_, i) => after + (i + 1) * 1_800_000);
    expect(enumerate(cadence, after, { until })).toEqual(everyHalfHour);
    expect(serverTimes(compile(cadence, { now }).spec, after, until)).toEqual(everyHalfHour);
  });

  it('runs in both occurrences of a repeated hour, and not for an hour in a gap', () => {
    const cadence = cron('30 1-23/2 * * *', 'America/New_York');
    const autumn = enumerate(cadence, Date.parse('2026-11-01T04:00:00Z'), { count: 3 });
    expect(autumn.map(short)).toEqual(['11-01T05:30', '11-01T06:30', '11-01T08:30']);
    const even = cron('30 */2 * * *', 'America/New_York');
    const spring = enumerate(even, Date.parse('2026-03-08T05:00:00Z'), { count: 2 });
    expect(spring.map(short)).toEqual(['03-08T05:30', '03-08T08:30']);
  });
});

describe('coalesced times', () => {
  it('are the second occurrence of a fixed time', () => {
    const cadence = cron('30 1 * * *', 'America/New_York');
    expect(isCoalesced(cadence, Date.parse('2026-11-01T05:30:00Z'))).toBe(false);
    expect(isCoalesced(cadence, Date.parse('2026-11-01T06:30:00Z'))).toBe(true);
    expect(isCoalesced(cadence, Date.parse('2026-11-02T06:30:00Z'))).toBe(false);
  });

  it('exist only at clock changes, whatever zone rules the server has', () => {
    const cadence = cron('30 1 * * *', 'America/New_York');
    expect(isCoalesced(cadence, Date.parse('2026-07-01T06:30:00Z'))).toBe(false);
    expect(isCoalesced(cron('0 9 * * *'), Date.parse('2026-07-01T06:30:00Z'))).toBe(false);
  });

  it('are those that the server shifts itself', () => {
    const cadence = cron('15 2 * * *', 'Australia/Lord_Howe');
    expect(isCoalesced(cadence, Date.parse('2026-10-03T15:30:00Z'))).toBe(false);
    expect(isCoalesced(cadence, Date.parse('2026-10-03T15:45:00Z'))).toBe(true);
  });
});
