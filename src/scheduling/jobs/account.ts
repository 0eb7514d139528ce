import { isOn } from '../bindings/occurrences.js';
import type { Cadence } from '../cadence/cadence.js';
import { isCoalescedSlot } from '../cadence/coalesced.js';
import { countBetween, nextAfter, previousBefore } from '../cadence/occurrences.js';
import type { Occurrences } from './envelope.js';
import type { MisfirePolicy } from './record.js';

/** What became of every time a job was due, up to an instant. A type, so that it counts as plain JSON. */
export type Account = {
  /** RFC 3339; every occurrence up to here is in one of the numbers, and none after it. */
  through: string;
  ran: number;
  missed: number;
  overlapped: number;
  coalesced: number;
};

export type Totals = Omit<Account, 'through'>;

/** A run of a job, as far as its account goes. All times in milliseconds. */
export interface SeenRun {
  /** What it was started for. */
  nominal: number;
  startedAt: number;
  /** When a worker first looked at it: what came due until then found it waiting. */
  takenAt: number;
}

/** An account that begins after `instant`. */
export function noAccount(instant: number): Account {
  return { through: iso(instant), ran: 0, missed: 0, overlapped: 0, coalesced: 0 };
}

/** What starts a run of a job: a time of its cadence, the second showing of one when clocks go back, or somebody. */
export function triggerOf(cadence: Cadence, nominal: number): 'grid' | 'repeated' | 'hand' {
  if (isOn(cadence, nominal)) return 'grid';
  return isCoalescedSlot(cadence, nominal) ? 'repeated' : 'hand';
}

/** What a run has to do about being late. `ask`: one run for all that was missed is enough, so it matters whether a newer one exists. */
export type Misfire = 'on time' | 'run' | 'skip' | 'ask';

export interface MisfireQuestion {
  policy: MisfirePolicy;
  allowOverlap: boolean;
  nominal: number;
  now: number;
  /** How late is still on time. */
  graceMs: number;
}

export function misfireOf(cadence: Cadence, { policy, allowOverlap, nominal, now, graceMs }: MisfireQuestion): Misfire {
  if (now - nominal <= graceMs) return 'on time';
  if (policy === 'skip_missed') return 'skip';
  // Runs that may not overlap were never started for the times in between: this one is the recovery.
  if (!allowOverlap) return 'run';
  const next = nextAfter(cadence, nominal);
  return next !== undefined && next <= now ? 'ask' : 'run';
}

/** A Schedule learns of a run's end a moment late, and skips what comes due in between. */
const settlingMs = 1_000;

/**
 * Continues an account through a run: what lies between the last account and it, its own time, and what came due before a worker took it.
 * `reason` says what becomes of its own time. `previousEnd`: until then an earlier run was active.
 */
export function accountRun(
  cadence: Cadence,
  before: Account,
  run: SeenRun,
  reason: Occurrences['reason'],
  previousEnd?: number,
): { account: Account; occurrences: Occurrences[] } {
  const from = Date.parse(before.through);
  const own = triggerOf(cadence, run.nominal) === 'grid' && run.nominal > from;
  const until = own ? run.nominal - 1 : Math.min(run.startedAt, run.takenAt);
  const gap = gapOf(cadence, from, until, previousEnd);
  const late = reason === 'run' && !own ? 'overlapped' : 'missed';
  const occurrences = [
    ...gap,
    ...(own ? spanOf(cadence, run.nominal - 1, run.nominal, reason) : []),
    ...spanOf(cadence, Math.max(from, own ? run.nominal : until), run.takenAt, late),
  ];
  const through = Math.max(from, until, own ? run.nominal : from, run.takenAt);
  return { account: added(before, occurrences, through), occurrences: merged(occurrences) };
}

/** Continues an account to an instant at which nothing had been started for what came due since. */
export function accountGap(cadence: Cadence, before: Account, until: number, previousEnd?: number): Account {
  const from = Date.parse(before.through);
  if (until <= from) return before;
  return added(before, gapOf(cadence, from, until, previousEnd), until);
}

function gapOf(cadence: Cadence, from: number, until: number, previousEnd?: number): Occurrences[] {
  const busy = previousEnd === undefined ? from : Math.min(previousEnd + settlingMs, until);
  return [...spanOf(cadence, from, busy, 'overlapped'), ...spanOf(cadence, Math.max(from, busy), until, 'missed')];
}

/** The occurrences after `after` and not after `until`, in one entry; none if there are none. */
export function spanOf(
  cadence: Cadence,
  after: number,
  until: number,
  reason: Occurrences['reason'],
): [Occurrences] | [] {
  const count = countBetween(cadence, after, until);
  if (count === 0) return [];
  return [{ first: iso(nextAfter(cadence, after)!), last: iso(previousBefore(cadence, until + 1)!), count, reason }];
}

const kept: Record<Occurrences['reason'], keyof Totals> = {
  run: 'ran',
  missed: 'missed',
  overlapped: 'overlapped',
  coalesced: 'coalesced',
};

function added(before: Account, occurrences: readonly Occurrences[], through: number): Account {
  const account = { ...before, through: iso(through) };
  for (const { count, reason } of occurrences) account[kept[reason]] += count;
  return account;
}

/** Neighbours with one reason are one entry. */
function merged(occurrences: readonly Occurrences[]): Occurrences[] {
  const out: Occurrences[] = [];
  for (const next of occurrences) {
    const last = out.at(-1);
    if (last?.reason === next.reason)
      out[out.length - 1] = { ...last, last: next.last, count: last.count + next.count };
    else out.push(next);
  }
  return out;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
