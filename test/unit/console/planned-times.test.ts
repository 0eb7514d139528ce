import { describe, expect, it } from 'vitest';
import { plannedTimes, previewRequest } from '../../../src/console/api/planned-times.js';
import { previewOf } from '../../../src/schedules/preview-from-request.js';

const now = Date.parse('2030-01-01T12:30:00Z');
const hourly = { type: 'interval', every: 'PT1H' };

type Start = Parameters<typeof previewRequest>[1];

function timesOf(cadence: typeof hourly | object, start: Start): string[] {
  const { runs } = previewOf(previewRequest(cadence as never, start, 3, now), now);
  return plannedTimes(runs, cadence as never, start, now).map(({ instant }) => instant);
}

describe('the preview of another cadence', () => {
  it('counts an interval from the instant that the schedule keeps', () => {
    const startAt = '2029-12-31T09:10:00Z';
    expect(timesOf(hourly, { startAt, anchorAt: startAt })[0]).toBe('2030-01-01T13:10:00.000Z');
  });

  it('begins with the first run of a schedule that has not started', () => {
    const startAt = '2030-01-05T09:10:00Z';
    expect(timesOf(hourly, { startAt, anchorAt: startAt })[0]).toBe('2030-01-05T09:10:00.000Z');
    const daily = { type: 'cron', expression: '0 9 * * *', timezone: 'UTC' };
    expect(timesOf(daily, { startAt, anchorAt: startAt })[0]).toBe('2030-01-06T09:00:00.000Z');
  });

  it('contains a first run apart from the grid', () => {
    const start = { startAt: '2030-01-05T09:10:00Z', anchorAt: '2030-01-01T00:00:00Z' };
    expect(timesOf(hourly, start).slice(0, 2)).toEqual(['2030-01-05T09:10:00Z', '2030-01-05T10:00:00.000Z']);
  });

  it('contains no run now for an interval that is counted from now', () => {
    expect(timesOf(hourly, {})[0]).toBe('2030-01-01T13:30:00.000Z');
  });
});
