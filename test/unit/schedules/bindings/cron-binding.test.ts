import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import {
  type BindingPatch,
  type BindingRecord,
  type BindingTimes,
  bindingCadence,
  readPatch,
  withTimes,
} from '../../../../src/schedules/bindings/binding-record.js';
import { compile } from '../../../../src/schedules/cadence/cadence-to-temporal-spec.js';
import { isCoalescedSlot } from '../../../../src/schedules/cadence/detect-coalesced-slot.js';
import { enumerate } from '../../../../src/schedules/cadence/occurrences.js';
import {
  accountBindingRun,
  accountGap,
  emptyAccount,
  isSuperfluous,
} from '../../../../src/schedules/occurrence-counts.js';
import { type BindingSnapshot, bindingSchedule } from '../../../../src/temporal/schedules/bindings/binding-schedule.js';
import { type BindingTags, bindingTags } from '../../../../src/temporal/schedules/bindings/binding-tags.js';
import { msNumberToTs } from '../../../../src/temporal/sdk-internals.js';

const at = (text: string) => Date.parse(text);
const texts = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'));
const rome: BindingTimes = { cron: '30 2 * * *', timezone: 'Europe/Rome', startAt: '2027-03-27T00:00:00.000Z' };
const newYork: BindingTimes = { cron: '30 1 * * *', timezone: 'America/New_York', startAt: '2027-11-06T00:00:00.000Z' };

describe('the cadence of a cron binding', () => {
  it('starts with the first occurrence at or after startAt, also a shifted one', () => {
    const from = (startAt: string) => texts(enumerate(bindingCadence({ ...rome, startAt }), 0, { count: 2 }));
    expect(from('2027-03-27T01:30:00Z')).toEqual(['2027-03-27T01:30Z', '2027-03-28T01:00Z']);
    expect(from('2027-03-27T01:30:01Z')).toEqual(['2027-03-28T01:00Z', '2027-03-29T00:30Z']);
    expect(from('2027-03-28T01:00:01Z')).toEqual(['2027-03-29T00:30Z', '2027-03-30T00:30Z']);
  });

  it('reads records of versions that only had intervals', () => {
    expect(bindingCadence({ startAt: '2027-01-31T09:00:00.000Z', interval: 'P1M' })).toMatchObject({
      kind: 'iso',
      months: 1,
    });
  });

  it('starts nothing at once, unless its first occurrence passed during its creation', () => {
    const made = (now: string) => compile(bindingCadence(rome), { now: at(now), runAtOnce: true, maxRuns: 3 });
    const soon = made('2027-03-27T00:00:00Z');
    expect([soon.startsNow, soon.remainingActions, texts([soon.spec.startAt!.getTime()])]).toEqual([
      false,
      3,
      ['2027-03-27T01:30Z'],
    ]);
    const late = made('2027-03-27T01:30:02Z');
    expect([late.startsNow, late.remainingActions, texts([late.spec.startAt!.getTime()])]).toEqual([
      true,
      2,
      ['2027-03-28T01:00Z'],
    ]);
  });
});

describe('occurrence counts of a cron binding', () => {
  const account = (times: BindingTimes, until: string, started: string[] = []) =>
    accountGap(bindingCadence(times), emptyAccount(at(times.startAt) - 1), at(until), {
      started: started.map(at),
      skipped: 0,
    });

  it('count an occurrence in a clock gap once, at its shifted time', () => {
    const seen = account(rome, '2027-03-29T12:00:00Z', ['2027-03-27T01:30:00Z', '2027-03-28T01:00:00Z']);
    expect(seen).toMatchObject({ ran: 2, missed: 1, overlapped: 0 });
  });

  it('count a repeated local time once, without its second occurrence', () => {
    const started = ['2027-11-06T05:30:00Z', '2027-11-07T05:30:00Z', '2027-11-07T06:30:00Z', '2027-11-08T06:30:00Z'];
    expect(account(newYork, '2027-11-08T12:00:00Z', started)).toMatchObject({ ran: 3, missed: 0, overlapped: 0 });
  });

  it('count occurrences missed by a late run and overlapped by a long one', () => {
    const [nominal, startedAt, until] = ['2027-11-07T05:30:00Z', '2027-11-09T12:00:00Z', '2027-11-10T12:00:00Z'].map(
      at,
    );
    const run = { nominal: nominal!, startedAt: startedAt!, until: until! };
    const before = emptyAccount(at(newYork.startAt) - 1);
    const seen = accountBindingRun(bindingCadence(newYork), before, run, { started: [], skipped: 1 });
    expect(seen).toMatchObject({ ran: 1, missed: 3, overlapped: 1 });
  });
});

describe('the second occurrence of a repeated local time', () => {
  const cadence = bindingCadence(newYork);
  it.each([
    ['2027-11-07T05:30:00Z', false, 'the first occurrence'],
    ['2027-11-07T06:30:00Z', true, 'the second occurrence'],
    ['2027-11-07T06:31:00Z', false, 'a manual run a minute later'],
    ['2027-11-07T15:00:00Z', false, 'a manual run on the same day'],
    ['2028-01-07T06:30:00Z', false, 'an occurrence in winter'],
  ])('%s is coalesced: %s (%s)', (time, coalesced) => {
    expect(isCoalescedSlot(cadence, at(time))).toBe(coalesced);
  });

  it.each([
    ['2027-11-07T06:30:01Z', '2027-11-07T05:31:00Z', true, 'on time'],
    ['2027-11-09T12:00:00Z', '2027-11-07T05:31:00Z', false, 'the single late run after an outage'],
    ['2027-11-09T12:00:00Z', '2027-11-09T07:00:00Z', true, 'a backfill, after later occurrences were counted'],
  ])('at %s, with everything up to %s counted, has a superfluous run: %s (%s)', (now, through, nothing) => {
    const account = { ...emptyAccount(0), through };
    expect(isSuperfluous(cadence, account, at('2027-11-07T06:30:00Z'), at(now))).toBe(nothing);
  });

  it('is not coalesced before startAt or for an interval', () => {
    const slot = at('2027-11-07T06:30:00Z');
    expect(isCoalescedSlot(bindingCadence({ ...newYork, startAt: '2027-11-07T07:00:00Z' }), slot)).toBe(false);
    expect(isCoalescedSlot(bindingCadence({ startAt: newYork.startAt, interval: 'PT7M' }), slot)).toBe(false);
  });
});

describe('a change of a cron binding', () => {
  const record = (times: BindingTimes) => ({ maxRuns: 3, ...times }) as BindingRecord;
  const startAt = '2027-01-01T00:00:00.000Z';
  const nightly = record({ startAt, cron: '0 2 * * *', timezone: 'Europe/Rome' });
  const daily = record({ startAt, interval: 'P1D' });
  const changed = (from: BindingRecord, patch: BindingPatch) => withTimes(from, patch);

  it('replaces a cron with an interval, and vice versa', () => {
    expect(changed(nightly, { interval: 'P1W' })).toEqual({ maxRuns: 3, startAt, interval: 'P1W' });
    const patch = { cron: '30 9 * * mon', timezone: 'Asia/Tokyo' };
    expect(changed(daily, patch)).toEqual({ maxRuns: 3, startAt, ...patch });
  });

  it('keeps the other half of a cron', () => {
    expect(changed(nightly, { cron: '5 5 * * *' })).toMatchObject({ cron: '5 5 * * *', timezone: 'Europe/Rome' });
    expect(changed(nightly, { timezone: 'UTC' })).toMatchObject({ cron: '0 2 * * *', timezone: 'UTC' });
    expect(changed(nightly, { startAt: '2030-01-01T00:00:00Z' })).toMatchObject({ cron: '0 2 * * *' });
    expect(changed(daily, { maxRuns: 9 })).toMatchObject({ interval: 'P1D' });
  });

  it('rejects half a cron for an interval', () => {
    const refused = (patch: BindingPatch) => expect(() => changed(daily, patch));
    refused({ cron: '0 2 * * *' }).toThrow('The time zone is missing');
    refused({ timezone: 'UTC' }).toThrow('no cron');
  });

  it.each([
    ['/cron', { cron: '0 9 * * mon#1', timezone: 'UTC' }],
    ['/cron', { cron: '* * * * *', timezone: 'UTC' }],
    ['/cron', { cron: null }],
    ['/timezone', { cron: '0 9 * * *', timezone: 'PST' }],
    ['/timezone', { timezone: 7 }],
    ['/interval', { interval: 'P1D', cron: '0 9 * * *', timezone: 'UTC' }],
  ])('R3-54 is rejected with a finding at %s: %j', (pointer, body) => {
    try {
      readPatch(body, 300);
    } catch (error) {
      const { problem } = error as { problem: { code: string; errors: { pointer: string }[] } };
      expect([problem.code, problem.errors.map((it) => it.pointer)]).toEqual(['SCHEDULE_INVALID', [pointer]]);
      return;
    }
    expect.unreachable();
  });
});

describe('the Schedule of a cron binding', () => {
  const snapshot = (times: BindingTimes, next: number[], more: Partial<BindingRecord> = {}): BindingSnapshot => {
    const record = { ...times, maxRuns: 99, runsExecuted: 0, accounted: [], ...more };
    const state = { limitedActions: true, remainingActions: 99 };
    const raw = { schedule: { state, spec: { startTime: msNumberToTs(1_800_000_000_000) } } };
    return { record, next, raw, paused: false, running: [], recent: [], buffered: 0 } as unknown as BindingSnapshot;
  };
  const managed = bindingSchedule({} as Client, 'cron');
  const now = at('2027-11-06T12:00:00Z');
  const planned = ['2027-11-07T05:30:00Z', '2027-11-07T06:30:00Z', '2027-11-08T06:30:00Z'].map(at);

  it('has not drifted if Temporal will also start the second occurrence of a repeated time', () => {
    expect(managed.drift(snapshot(newYork, planned), now)).toEqual([]);
    const late = { ...newYork, startAt: '2027-11-07T06:00:00Z' };
    expect(managed.drift(snapshot(late, [planned[1]!, planned[2]!]), now)).toEqual([]);
  });

  it('has drifted if an occurrence is missing or added', () => {
    expect(managed.drift(snapshot(newYork, [planned[2]!]), now)).toHaveLength(1);
    expect(managed.drift(snapshot(newYork, [...planned, at('2027-11-08T15:00:00Z')]), now)).toHaveLength(1);
  });

  it('is compared only up to the last expanded time', () => {
    const yearly = { ...newYork, cron: '30 2 14 3 *' };
    // In 2032 the 14th is the Sunday on which that time does not exist, and its shifted time is not expanded yet.
    const next = [2028, 2029, 2030, 2031, 2033, 2034].map((year) => Date.UTC(year, 2, 14, 6, 30));
    expect(managed.drift(snapshot(yearly, next), now)).toHaveLength(1);
    expect(managed.drift(snapshot(yearly, next, { writtenUntil: '2032-03-01T00:00:00.000Z' }), now)).toEqual([]);
  });

  it('is extended from its start when fewer than four of its five years remain', () => {
    const withYears = (writtenUntil?: string) =>
      managed.extension(snapshot(newYork, planned, writtenUntil === undefined ? {} : { writtenUntil }), now);
    expect(withYears('2032-01-01T00:00:00.000Z')).toBeUndefined();
    for (const before of ['2031-01-01T00:00:00.000Z', undefined]) {
      const { spec, completeUntil } = withYears(before)!;
      expect(completeUntil).toBeGreaterThan(at('2032-11-01T00:00:00Z'));
      expect(spec.startAt).toEqual(new Date(1_800_000_000_000));
    }
  });

  it('is not extended if it has no clock changes, or if its times were changed outside', () => {
    const tokyo = { ...newYork, timezone: 'Asia/Tokyo' };
    expect(managed.extension(snapshot(tokyo, []), now)).toBeUndefined();
    const other = snapshot(newYork, [at('2027-11-08T15:00:00Z')]);
    expect(managed.extension(other, now)).toBeUndefined();
  });

  it('has a tag with its times, but never with part of a long expression', () => {
    const tagged = (times: Partial<BindingTags>) => bindingTags({ ...newYork, ...times } as BindingRecord);
    expect(tagged({})).toContain('cron=30 1 * * *');
    const long = `${Array.from({ length: 60 }, (_, i) => i).join()} 1,2,3,4,5,6,7,8,9,10,11,12 1,2,3 * *`;
    expect(tagged({ cron: long }).some((tag) => tag.startsWith('cron='))).toBe(false);
  });
});
