import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { timeMatches } from '../../../../src/schedules/cadence/cron-occurrences.js';
import {
  countBetween,
  enumerate,
  isCoalesced,
  nextAfter,
  previousBefore,
} from '../../../../src/schedules/cadence/occurrences.js';
import { serverTimes } from '../../../../src/schedules/cadence/predict-server-times.js';
import { readCronFields } from '../../../../src/schedules/cadence/read-cron-fields.js';
import { offsetAt, transitions } from '../../../../src/schedules/cadence/zone-transitions.js';
import { cadences, crons, madeAt, windowOf, zones } from './support/cadences.js';

const day = 86_400_000;
const picks = fc.double({ min: 0, max: 0.999, noNaN: true });

describe('every cadence', () => {
  it('has whole seconds in strictly ascending order, after the start and up to the end', () => {
    fc.assert(
      fc.property(cadences, picks, (cadence, pick) => {
        const { after, until } = windowOf(cadence, pick);
        const times = enumerate(cadence, after, { until });
        expect(times.every((time, i) => time % 1000 === 0 && time > (times[i - 1] ?? after))).toBe(true);
        expect((times.at(-1) ?? until) <= until).toBe(true);
      }),
    );
  });

  it('with a start is the same cadence from that start on: forwards, backwards, counted and compiled (cron binding)', () => {
    fc.assert(
      fc.property(crons, picks, picks, (cron, pick, begins) => {
        const { after, until } = windowOf(cron, pick);
        const from = Math.floor((after + begins * (until - after)) / 1000) * 1000 + 1000;
        const begun = { ...cron, from };
        const whole = enumerate(cron, after, { until });
        const times = enumerate(begun, after, { until });
        expect(times).toEqual(whole.filter((time) => time >= from));
        expect(countBetween(begun, after, until)).toBe(times.length);
        expect(previousBefore(begun, until + 1)).toBe(times.at(-1));
        expect(previousBefore(begun, times[0] ?? until)).toBeUndefined();
        if (times[0] !== undefined) expect(compile(begun, { now: after }).spec.startAt).toEqual(new Date(times[0]));
      }),
    );
  });

  it('is consistent forwards, backwards and counted', () => {
    fc.assert(
      fc.property(cadences, picks, (cadence, pick) => {
        const { after, until } = windowOf(cadence, pick);
        const times = enumerate(cadence, after, { until });
        expect(countBetween(cadence, after, until)).toBe(times.length);
        for (const [i, time] of times.slice(0, 200).entries()) {
          expect(nextAfter(cadence, time - 1)).toBe(time);
          if (i > 0) expect(previousBefore(cadence, time)).toBe(times[i - 1]);
        }
        if (times.length > 0) expect(previousBefore(cadence, until + 1)).toBe(times.at(-1));
      }),
    );
  });

  it('has a count that is the sum of its parts', () => {
    fc.assert(
      fc.property(cadences, fc.integer({ min: 1, max: 3000 }), (cadence, days) => {
        const middle = madeAt + days * day + 12_345_678;
        const end = madeAt + 4000 * day;
        const parts = countBetween(cadence, madeAt, middle) + countBetween(cadence, middle, end);
        expect(countBetween(cadence, madeAt, end)).toBe(parts);
      }),
    );
  });

  it('compiles so that the server misses nothing, and its additional times are coalesced', () => {
    fc.assert(
      fc.property(cadences, picks, (cadence, pick) => {
        const { spec, completeUntil = Number.POSITIVE_INFINITY } = compile(cadence, { now: madeAt });
        const window = windowOf(cadence, pick);
        const until = Math.min(window.until, completeUntil);
        const started = serverTimes(spec, window.after, until);
        expect(started.filter((time) => !isCoalesced(cadence, time))).toEqual(
          enumerate(cadence, window.after, { until }),
        );
      }),
    );
  });
});

describe('every cron', () => {
  it('runs only at a matching local time, or right after a gap', () => {
    fc.assert(
      fc.property(crons, picks, (cadence, pick) => {
        const { after, until } = windowOf(cadence, pick);
        for (const time of enumerate(cadence, after, { until })) {
          const shown = timeMatches(cadence.fields, time + offsetAt(cadence.zone, time));
          const jump = [...transitions(cadence.zone, time - 1, time)].some((change) => change.after > change.before);
          expect(shown || (jump && !cadence.fields.followsClock)).toBe(true);
        }
      }),
    );
  });

  it('with fixed hours runs at most once for each local time of a day', () => {
    fc.assert(
      fc.property(
        crons.filter(({ fields }) => !fields.followsClock),
        picks,
        (cadence, pick) => {
          const { after, until } = windowOf(cadence, pick);
          const local = enumerate(cadence, after, { until }).map((time) => time + offsetAt(cadence.zone, time));
          expect(new Set(local).size).toBe(local.length);
        },
      ),
    );
  });
});

describe('reading cron expressions', () => {
  it('returns fields or a fault for any text, and never throws', () => {
    const piece = fc.constantFrom('*', '/', '-', ',', ' ', '0', '5', '59', '7', 'mon', 'L', '#', '?', 'é', '\n');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 14 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const read = readCronFields(text);
          expect('fields' in read).toBe(read.faults.length === 0);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('zones', () => {
  it.each(zones)('%s has consistent offsets and changes', (zone) => {
    for (const { at, before, after } of transitions(zone, madeAt, madeAt + 3 * 365 * day)) {
      expect(offsetAt(zone, at - 1)).toBe(before);
      expect(offsetAt(zone, at)).toBe(after);
    }
  });
});
