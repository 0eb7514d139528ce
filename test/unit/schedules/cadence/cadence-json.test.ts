import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { cadenceJson, readCadence } from '../../../../src/schedules/cadence/cadence-json.js';
import { bindingBounds, jobBounds } from '../../../../src/schedules/cadence/interval-bounds.js';
import { enumerate } from '../../../../src/schedules/cadence/occurrences.js';
import { readCron, readInterval } from '../../../../src/schedules/cadence/read-cadence-fields.js';
import { cadences, interval } from './support/cadences.js';

const now = Date.UTC(2026, 5, 1, 12);
const read = (value: Json) => readCadence(value, { now, pointer: '/schedule', bounds: jobBounds });

describe('cadences in JSON', () => {
  it.each([
    [
      { type: 'once', runAt: '2026-06-01T14:00:00+01:00' },
      { kind: 'once', at: Date.UTC(2026, 5, 1, 13) },
    ],
    [
      { type: 'once', runAt: '2026-06-01T13:00:00.250Z' },
      { kind: 'once', at: Date.UTC(2026, 5, 1, 13, 0, 1) },
    ],
    [
      { type: 'interval', everySeconds: 300 },
      { kind: 'every', millis: 300_000, anchor: now },
    ],
    [
      { type: 'interval', every: '5m' },
      { kind: 'every', millis: 300_000 },
    ],
    [
      { type: 'interval', every: 'PT5M' },
      { kind: 'every', millis: 300_000 },
    ],
    [
      { type: 'interval', every: 'P1W' },
      { kind: 'every', millis: 7 * 86_400_000 },
    ],
    [
      { type: 'interval', every: 'P1M', anchorAt: '2026-01-31T09:00:00Z' },
      { kind: 'iso', months: 1, anchor: Date.UTC(2026, 0, 31, 9) },
    ],
    [{ type: 'cron', expression: '0 9 * * fri', timezone: 'America/Los_Angeles' }, { kind: 'cron' }],
  ])('%j (R3-01, R3-02, R3-03, X3-01)', (value, cadence) => {
    const reading = read(value as Json);
    expect(reading.findings).toEqual([]);
    expect(reading.cadence).toMatchObject(cadence);
  });

  it.each([
    ['no object', 'daily', 'CADENCE_NOT_AN_OBJECT', '/schedule'],
    ['no type', {}, 'CADENCE_TYPE_UNKNOWN', '/schedule/type'],
    ['another type', { type: 'hourly' }, 'CADENCE_TYPE_UNKNOWN', '/schedule/type'],
    ['an inherited name as type', { type: 'constructor' }, 'CADENCE_TYPE_UNKNOWN', '/schedule/type'],
    ['a missing field', { type: 'once' }, 'CADENCE_FIELD_MISSING', '/schedule/runAt'],
    ['a missing zone', { type: 'cron', expression: '0 9 * * *' }, 'CADENCE_ZONE_MISSING', '/schedule/timezone'],
    ['no length', { type: 'interval' }, 'CADENCE_FIELD_MISSING', '/schedule/every'],
    ['two lengths', { type: 'interval', every: '5m', everySeconds: 300 }, 'CADENCE_FIELD_MISSING', '/schedule/every'],
    ['an extra field', { type: 'interval', every: '5m', 'a/b': 1 }, 'CADENCE_FIELD_UNKNOWN', '/schedule/a~1b'],
    [
      'a field of another type',
      { type: 'interval', everySeconds: '5' },
      'CADENCE_FIELD_TYPE',
      '/schedule/everySeconds',
    ],
    ['no timestamp', { type: 'once', runAt: 'tomorrow' }, 'CADENCE_INSTANT_INVALID', '/schedule/runAt'],
    ['an invalid day', { type: 'once', runAt: '2027-02-30T00:00:00Z' }, 'CADENCE_INSTANT_INVALID', '/schedule/runAt'],
    ['a distant year', { type: 'once', runAt: '2101-01-01T00:00:00Z' }, 'CADENCE_YEAR_OUT_OF_RANGE', '/schedule/runAt'],
    ['the past (SCH-D8)', { type: 'once', runAt: '2026-06-01T12:00:00Z' }, 'CADENCE_IN_THE_PAST', '/schedule/runAt'],
    [
      'a time before 1970 (SCH-D8)',
      { type: 'once', runAt: '1969-12-31T23:59:59Z' },
      'CADENCE_YEAR_OUT_OF_RANGE',
      '/schedule/runAt',
    ],
    ['zero (SCH-K3)', { type: 'interval', every: '0s' }, 'CADENCE_TOO_SHORT', '/schedule/every'],
    ['too short (R3-55)', { type: 'interval', everySeconds: 9 }, 'CADENCE_TOO_SHORT', '/schedule/everySeconds'],
    ['too long (X3-03)', { type: 'interval', everySeconds: 31_536_001 }, 'CADENCE_TOO_LONG', '/schedule/everySeconds'],
    [
      'a negative length',
      { type: 'interval', everySeconds: -60 },
      'CADENCE_DURATION_INVALID',
      '/schedule/everySeconds',
    ],
    ['half a second', { type: 'interval', everySeconds: 10.5 }, 'CADENCE_NOT_WHOLE_SECONDS', '/schedule/everySeconds'],
    ['no duration', { type: 'interval', every: 'often' }, 'CADENCE_DURATION_INVALID', '/schedule/every'],
    ['no anchor', { type: 'interval', every: '5m', anchorAt: '?' }, 'CADENCE_INSTANT_INVALID', '/schedule/anchorAt'],
  ])('rejects %s', (_, value, code, pointer) => {
    const { cadence, findings } = read(value as Json);
    expect(cadence).toBeUndefined();
    expect(findings).toMatchObject([{ code, pointer, severity: 'error' }]);
    expect(findings[0]!.hint).toBeTruthy();
  });

  it('accepts a past time that was accepted before', () => {
    const value = { type: 'once', runAt: '2020-01-01T00:00:00Z' };
    expect(readCadence(value, { now, allowPast: true }).findings).toEqual([]);
  });

  it('survives a round trip (SCH-D17)', () => {
    fc.assert(
      fc.property(cadences, (cadence) => {
        const json = JSON.parse(JSON.stringify(cadenceJson(cadence)));
        expect(readCadence(json, { now }).cadence).toEqual(cadence);
      }),
    );
  });
});

describe('the JSON format', () => {
  const types = ['once', 'interval', 'cron'];

  it('R3-01 has exactly three types', () => {
    const known = (type: string) => read({ type }).findings.every(({ code }) => code !== 'CADENCE_TYPE_UNKNOWN');
    const others = ['Once', 'daily', 'rrule', 'at', '', ' cron'];
    expect([...types, ...others].filter(known)).toEqual(types);
  });

  it('R3-02 once has exactly one instant', () => {
    const { cadence } = read({ type: 'once', runAt: '2027-01-31T09:00:00Z' });
    expect(enumerate(cadence!, now, { count: 5 })).toEqual([Date.UTC(2027, 0, 31, 9)]);
  });

  it.each([
    [{ everySeconds: 90 }, 90],
    [{ every: '15m' }, 900],
    [{ every: '12h' }, 43_200],
  ])('R3-03 an interval is in seconds, minutes or hours: %j', (length, seconds) => {
    const { cadence } = read({ type: 'interval', ...length, anchorAt: '2026-06-01T12:00:00Z' });
    const times = enumerate(cadence!, now, { count: 3 });
    expect(times).toEqual([1, 2, 3].map((k) => now + k * seconds * 1000));
  });

  it('R3-07 a cron has a resolution of one minute', () => {
    const { cadence } = read({ type: 'cron', expression: '* * * * *', timezone: 'Asia/Kathmandu' });
    expect(enumerate(cadence!, now, { count: 3 })).toEqual([1, 2, 3].map((k) => now + k * 60_000));
  });

  it('SCH-K2 the zone of a cron is the given one, never that of the machine', () => {
    const first = (timezone: string) =>
      enumerate(read({ type: 'cron', expression: '0 9 * * *', timezone }).cadence!, Date.UTC(2026, 0, 1), { count: 1 });
    const hours = ['America/New_York', 'UTC', 'Asia/Tokyo'].map((zone) => new Date(first(zone)[0]!).getUTCHours());
    expect(hours).toEqual([14, 9, 0]);
  });
});

describe('bounds (R0-09, R3-55)', () => {
  it.each([
    ['PT1M', bindingBounds, undefined],
    ['PT59S', bindingBounds, 'CADENCE_TOO_SHORT'],
    ['PT1S', { shortest: 1000 }, undefined],
    ['P1M', bindingBounds, undefined],
    ['P365D', jobBounds, undefined],
    ['P366D', jobBounds, 'CADENCE_TOO_LONG'],
    ['P1Y', jobBounds, undefined],
    ['P13M', jobBounds, 'CADENCE_TOO_LONG'],
    ['P101Y', {}, 'CADENCE_TOO_LONG'],
    ['P20000D', {}, 'CADENCE_TOO_LONG'],
    ['P0D', {}, 'CADENCE_TOO_SHORT'],
  ])('%s within %j: %s', (text, bounds, code) => {
    expect(readInterval(text, now, { bounds }).findings.map((finding) => finding.code)).toEqual(code ? [code] : []);
  });

  it.each([
    ['* * * * *', 60_000, []],
    ['* * * * *', 120_000, ['CADENCE_TOO_SHORT']],
    ['*/5 * * * *', 300_000, []],
    ['0,58 * * * *', 300_000, ['CADENCE_TOO_SHORT']],
    ['0,58 3 * * *', 300_000, []],
    ['59 23 * * *', 300_000, []],
    ['0 9 * * fri', 300_000, []],
  ])('%s with at least %i ms between runs', (expression, shortest, codes) => {
    const { findings } = readCron(expression, 'UTC', { bounds: { shortest } });
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('rounds an anchor up to a whole second, never down before the start', () => {
    expect(interval('PT1M', '2026-01-01T00:00:00.001Z')).toMatchObject({ anchor: Date.UTC(2026, 0, 1, 0, 0, 1) });
  });
});
