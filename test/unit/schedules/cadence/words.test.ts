import { describe, expect, it } from 'vitest';
import { describeCadence } from '../../../../src/schedules/cadence/describe-cadence.js';
import { durationInWords } from '../../../../src/schedules/cadence/duration-wording.js';
import { preview } from '../../../../src/schedules/preview-cadence-runs.js';
import { cron, interval } from './support/cadences.js';

describe('the description of a cadence (SCH-K12)', () => {
  it.each([
    ['0 9 * * 1-5', 'every weekday at 09:00 Europe/Berlin'],
    ['0 9 * * fri', 'every Friday at 09:00 Europe/Berlin'],
    ['30 8,18 * * *', 'every day at 08:30 and 18:30 Europe/Berlin'],
    ['0 0 1 * *', 'on day 1 of every month at 00:00 Europe/Berlin'],
    ['0 0 1,15 jan,jul *', 'on days 1 and 15 of January and July at 00:00 Europe/Berlin'],
    ['0 9 13 * fri', 'on day 13 of every month and every Friday at 09:00 Europe/Berlin'],
    [
      '0 9 */2 * mon',
      'every Monday that falls on days 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 and 31 of every month at 09:00 Europe/Berlin',
    ],
    ['0 12 * 6-8 6,0', 'every Saturday and Sunday in June, July and August at 12:00 Europe/Berlin'],
    ['* * * * *', 'every minute, Europe/Berlin'],
    ['*/5 * * * *', 'every 5 minutes, Europe/Berlin'],
    ['*/7 * * * *', 'at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, Europe/Berlin'],
    ['0 * * * *', 'every hour, Europe/Berlin'],
    ['15 * * * *', 'at minute 15 of every hour, Europe/Berlin'],
    ['0 */2 * * *', 'every 2 hours from 00:00, Europe/Berlin'],
    ['0 */5 * * *', 'every day at 00:00, 05:00, 10:00, 15:00 and 20:00 Europe/Berlin'],
    ['*/10 9-17 * * mon-fri', 'every 10 minutes in hours 9 to 17 on every weekday, Europe/Berlin'],
    ['5,35 9-17 * * *', 'at minutes 5 and 35 in hours 9 to 17, Europe/Berlin'],
  ])('%s', (expression, words) => {
    expect(describeCadence(cron(expression, 'Europe/Berlin'))).toBe(words);
  });

  it.each([
    [5400, 'every 90 minutes from 2026-01-31 09:00 UTC'],
    ['P1D', 'every day from 2026-01-31 09:00 UTC'],
    ['P2D', 'every 2 days from 2026-01-31 09:00 UTC'],
    ['P1DT2H', 'every 26 hours from 2026-01-31 09:00 UTC'],
    ['P1M', 'every month on day 31, or the last day of a shorter month, at 09:00 UTC from 2026-01-31'],
    ['P3M', 'every 3 months on day 31, or the last day of a shorter month, at 09:00 UTC from 2026-01-31'],
    ['P1Y', 'every year on 31 January at 09:00 UTC from 2026'],
    ['P2Y', 'every 2 years on 31 January at 09:00 UTC from 2026'],
    ['P1M1D', 'every 1 month and 1 day from 2026-01-31 09:00 UTC'],
  ])('%s', (value, words) => {
    expect(describeCadence(interval(value, '2026-01-31T09:00:00Z'))).toBe(words);
  });

  it('of a single time', () => {
    expect(describeCadence({ kind: 'once', at: Date.UTC(2026, 11, 24, 18, 30, 5) })).toBe(
      'once at 2026-12-24 18:30:05 UTC',
    );
  });

  it.each([
    [1000, '1 second'],
    [90_000, '90 seconds'],
    [86_400_000 * 365, '365 days'],
    [86_400_000 * 14, '2 weeks'],
    [3_661_000, '1 hour, 1 minute and 1 second'],
  ])('of %i ms is %s', (millis, words) => {
    expect(durationInWords(millis)).toBe(words);
  });
});

describe('preview', () => {
  it('notes a shifted time', () => {
    expect(preview(cron('30 2 * * *', 'America/New_York'), Date.parse('2027-03-13T12:00:00Z'), 2)).toEqual([
      {
        instant: '2027-03-14T07:00:00.000Z',
        local: '2027-03-14T03:00:00',
        offset: '-04:00',
        note: 'moved from 02:30, which does not exist that day',
      },
      { instant: '2027-03-15T06:30:00.000Z', local: '2027-03-15T02:30:00', offset: '-04:00' },
    ]);
  });

  it('notes several shifted times', () => {
    const [run] = preview(cron('0,30 2 * * *', 'America/New_York'), Date.parse('2027-03-14T05:00:00Z'), 1);
    expect(run!.note).toBe('moved from 02:00 and 02:30, which do not exist that day');
    const [many] = preview(cron('*/5 2 * * *', 'America/New_York'), Date.parse('2027-03-14T05:00:00Z'), 1);
    expect(many!.note).toBe('moved from 02:00 to 02:55, which do not exist that day');
  });

  it('notes which of two equal local times it is', () => {
    const from = Date.parse('2026-11-01T05:00:00Z');
    expect(preview(cron('30 1 * * *', 'America/New_York'), from, 2).map(({ note }) => note)).toEqual([
      'clock goes back: first of two',
      undefined,
    ]);
    expect(preview(cron('30 * * * *', 'America/New_York'), from, 3).map(({ offset, note }) => [offset, note])).toEqual([
      ['-04:00', 'clock goes back: first of two'],
      ['-05:00', 'clock goes back: second of two'],
      ['-05:00', undefined],
    ]);
  });

  it('shows cadences without a zone in the requested zone', () => {
    const daily = interval('P1D', '2026-06-01T09:00:00Z');
    expect(preview(daily, Date.UTC(2026, 5, 1), 1)[0]).toMatchObject({
      local: '2026-06-01T09:00:00',
      offset: '+00:00',
    });
    expect(preview(daily, Date.UTC(2026, 5, 1), 1, 'Asia/Tokyo')[0]).toMatchObject({
      local: '2026-06-01T18:00:00',
      offset: '+09:00',
    });
  });

  it('is shorter than requested if there are no more times', () => {
    expect(preview({ kind: 'once', at: Date.UTC(2026, 5, 1) }, 0, 5)).toHaveLength(1);
    expect(preview({ kind: 'once', at: Date.UTC(2026, 5, 1) }, Date.UTC(2026, 5, 1), 5)).toEqual([]);
  });
});
