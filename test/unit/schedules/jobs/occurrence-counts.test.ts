import { describe, expect, it } from 'vitest';
import type { Cadence } from '../../../../src/schedules/cadence/cadence.js';
import { countBetween } from '../../../../src/schedules/cadence/occurrences.js';
import { readCron } from '../../../../src/schedules/cadence/read-cadence-fields.js';
import { misfireOf, triggerOf } from '../../../../src/schedules/jobs/misfire-policy.js';
import { channelText } from '../../../../src/schedules/jobs/output-to-channel-text.js';
import {
  accountGap,
  accountJobRun,
  emptyAccount,
  type JobAccount,
} from '../../../../src/schedules/occurrence-counts.js';

const base = Date.UTC(2027, 0, 1);
const at = (seconds: number) => base + seconds * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();
const tens: Cadence = { kind: 'every', millis: 10_000, anchor: at(10) };

const run = (nominal: number, startedAt = nominal, takenAt = startedAt) => ({
  nominal: at(nominal),
  startedAt: at(startedAt),
  takenAt: at(takenAt),
});

const emptyJobAccount = (instant: number): JobAccount => ({ ...emptyAccount(instant), coalesced: 0 });

describe('occurrence counts of a job', () => {
  it('include the occurrence of a punctual run as run', () => {
    const { account, occurrences } = accountJobRun(tens, emptyJobAccount(at(0)), run(10, 10.1, 10.2), 'run');
    expect(occurrences).toEqual([{ first: iso(10), last: iso(10), count: 1, reason: 'run' }]);
    expect(account).toMatchObject({ ran: 1, missed: 0, overlapped: 0, through: iso(10.2) });
  });

  it('include occurrences during the previous run as overlapped, later ones as missed', () => {
    const before = { ...emptyJobAccount(at(10.1)), ran: 1 };
    const { account, occurrences } = accountJobRun(tens, before, run(60), 'run', at(35));
    expect(occurrences).toEqual([
      { first: iso(20), last: iso(30), count: 2, reason: 'overlapped' },
      { first: iso(40), last: iso(50), count: 2, reason: 'missed' },
      { first: iso(60), last: iso(60), count: 1, reason: 'run' },
    ]);
    expect(account).toMatchObject({ ran: 2, missed: 2, overlapped: 2 });
  });

  it('include occurrences before the start of a late run as missed, like that of a skipped run', () => {
    const late = accountJobRun(tens, emptyJobAccount(at(0)), run(10, 10, 95), 'run');
    expect(late.occurrences).toEqual([
      { first: iso(10), last: iso(10), count: 1, reason: 'run' },
      { first: iso(20), last: iso(90), count: 8, reason: 'missed' },
    ]);
    const skipped = accountJobRun(tens, emptyJobAccount(at(0)), run(10, 80, 95), 'missed');
    expect(skipped.occurrences).toEqual([{ first: iso(10), last: iso(90), count: 9, reason: 'missed' }]);
    expect(skipped.account).toMatchObject({ ran: 0, missed: 9 });
  });

  it('include no occurrence for a manual run', () => {
    const { account, occurrences } = accountJobRun(tens, emptyJobAccount(at(0)), run(13, 13, 13), 'run');
    expect(occurrences).toEqual([{ first: iso(10), last: iso(10), count: 1, reason: 'missed' }]);
    expect(account).toMatchObject({ ran: 0, missed: 1, through: iso(13) });
  });

  it('do not include an occurrence again when it runs again', () => {
    const before = { ...emptyJobAccount(at(35)), ran: 3 };
    expect(accountJobRun(tens, before, run(20, 36, 36), 'run').account).toMatchObject({ ran: 3, missed: 0 });
  });

  it('include every occurrence exactly once in random histories', () => {
    let seed = 7;
    const chance = (most: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % most;
    };
    for (let round = 0; round < 200; round++) {
      let account: JobAccount = emptyJobAccount(at(0));
      let now = 0;
      let end: number | undefined;
      for (let i = 0; i < 20; i++) {
        const byHand = chance(4) === 0;
        const due = byHand ? now + chance(30) + 0.5 : Math.ceil((now + 1 + chance(60)) / 10) * 10;
        const started = due + chance(3) * chance(25);
        const taken = started + chance(3) * chance(25);
        account = accountJobRun(tens, account, run(due, started, taken), chance(3) ? 'run' : 'missed', end).account;
        now = taken + chance(40);
        end = at(now);
        const { ran, missed, overlapped, coalesced } = account;
        expect(ran + missed + overlapped + coalesced).toBe(countBetween(tens, at(0), Date.parse(account.through)));
      }
      const { ran, missed, overlapped } = accountGap(tens, account, at(now + 100), { previousEnd: end });
      expect(ran + missed + overlapped).toBe(countBetween(tens, at(0), at(now + 100)));
    }
  });
});

describe('a late run', () => {
  const question = { nominal: at(10), now: at(75), graceMs: 60_000 };

  it('SCH-D1: is on time within its grace period, under both policies', () => {
    for (const policy of ['skip_missed', 'fire_once_on_recovery'] as const)
      for (const now of [at(10), at(11), at(27), at(70)])
        expect(misfireOf(tens, { ...question, now, policy, allowOverlap: false })).toBe('on time');
  });

  it('R3-44: is skipped, runs for all missed times, or depends on a newer run', () => {
    const fire = 'fire_once_on_recovery';
    expect(misfireOf(tens, { ...question, policy: 'skip_missed', allowOverlap: false })).toBe('skip');
    expect(misfireOf(tens, { ...question, policy: 'skip_missed', allowOverlap: true })).toBe('skip');
    expect(misfireOf(tens, { ...question, policy: fire, allowOverlap: false })).toBe('run');
    expect(misfireOf(tens, { ...question, policy: fire, allowOverlap: true })).toBe('ask');
    const hourly: Cadence = { ...tens, kind: 'every', millis: 3_600_000 };
    expect(misfireOf(hourly, { ...question, policy: fire, allowOverlap: true })).toBe('run');
  });
});

it('SCH-D9: the second occurrence of a repeated local time is distinguished from a manual run', () => {
  const { cadence } = readCron('30 1 * * *', 'America/Los_Angeles');
  expect(triggerOf(cadence!, Date.parse('2026-11-01T08:30:00Z'))).toBe('grid');
  expect(triggerOf(cadence!, Date.parse('2026-11-01T09:30:00Z'))).toBe('repeated');
  expect(triggerOf(cadence!, Date.parse('2026-07-01T12:34:56Z'))).toBe('hand');
});

it('the message about an output is its text, the output itself or its JSON', () => {
  expect(channelText({ text: 'hello', more: 1 })).toBe('hello');
  expect(channelText('hello')).toBe('hello');
  expect(channelText({ n: 1 })).toBe('{"n":1}');
  expect(channelText(null)).toBe('null');
});
