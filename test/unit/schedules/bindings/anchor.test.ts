import { describe, expect, it } from 'vitest';
import { bindingCadence, readTimes } from '../../../../src/schedules/bindings/binding-record.js';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { describeCadence as inWords } from '../../../../src/schedules/cadence/describe-cadence.js';
import {
  countBetween,
  enumerate,
  isOccurrence,
  previousBefore,
} from '../../../../src/schedules/cadence/occurrences.js';
import { serverTimes } from '../../../../src/schedules/cadence/predict-server-times.js';

const now = Date.parse('2030-01-10T12:00:00Z');
const until = Date.parse('2032-01-01T00:00:00Z');

describe('LESS-6 a first run apart from the grid', () => {
  it.each([
    ['P1M', '2030-02-05T12:00:00Z', '2030-01-31T09:00:00Z'],
    ['P1M', '2030-02-05T12:00:00Z', '2029-10-31T09:00:00Z'],
    ['P1M', '2030-02-28T09:00:00Z', '2030-01-31T09:00:00Z'],
    ['P1M1D', '2030-02-05T12:00:00Z', '2030-03-02T09:00:00Z'],
    ['P7D', '2030-02-05T12:00:00Z', '2030-01-31T09:00:00Z'],
    ['P7D', '2030-02-05T12:00:00Z', '2030-02-12T09:00:00Z'],
  ])('%s from %s with the anchor %s: the server starts the times of the cadence', (interval, startAt, anchor) => {
    const cadence = bindingCadence({ interval, startAt, anchor });
    const listed = enumerate(cadence, now, { until });
    expect(listed[0]).toBe(Date.parse(startAt));
    expect(serverTimes(compile(cadence, { now }).spec, now, until)).toEqual(listed);
    expect(countBetween(cadence, now, until)).toBe(listed.length);
    listed.forEach((at, i) => {
      expect(isOccurrence(cadence, at)).toBe(true);
      expect(isOccurrence(cadence, at + 1000)).toBe(false);
      expect(previousBefore(cadence, at)).toBe(listed[i - 1]);
    });
  });

  it.each([
    ['P7D', '2030-02-12T12:00:01Z'],
    ['P1M', '2030-03-31T09:00:00Z'],
  ])('rejects a grid of %s that begins at %s, more than an interval after the first run', (interval, anchor) => {
    const { findings } = readTimes({ interval, startAt: '2030-02-05T12:00:00Z', anchor });
    expect(findings).toMatchObject([{ code: 'SCHEDULE_INVALID', pointer: '/anchor' }]);
  });

  it('starts at once if the start has passed, and continues on the grid of the anchor', () => {
    const cadence = bindingCadence({
      interval: 'P1M',
      startAt: '2030-01-10T11:59:59Z',
      anchor: '2029-12-31T09:00:00Z',
    });
    const { spec, startsNow, remainingActions } = compile(cadence, { now, runAtOnce: true, maxRuns: 12 });
    expect([startsNow, remainingActions]).toEqual([true, 11]);
    expect(serverTimes(spec, now, Date.parse('2030-04-01T00:00:00Z')).map((at) => new Date(at).toISOString())).toEqual([
      '2030-01-31T09:00:00.000Z',
      '2030-02-28T09:00:00.000Z',
      '2030-03-31T09:00:00.000Z',
    ]);
    expect(inWords(cadence)).toBe(
      'first at 2030-01-10 11:59:59 UTC, then every month on day 31, or the last day of a shorter month, at 09:00 UTC from 2029-12-31',
    );
  });
});
