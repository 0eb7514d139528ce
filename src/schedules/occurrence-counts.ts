import type { Cadence } from './cadence/cadence.js';
import { isCoalescedSlot } from './cadence/detect-coalesced-slot.js';
import { countBetween, isOccurrence, nextAfter, previousBefore } from './cadence/occurrences.js';

/**
 * The fate of an occurrence. `run`: a run was started for it, however that ended. `missed`: nothing ran, because the server or all workers
 * were unavailable, or the schedule was paused. `overlapped`: an earlier run was active. `coalesced`: covered by a later run.
 */
export type OccurrenceReason = 'run' | 'missed' | 'overlapped' | 'coalesced';

/** Consecutive occurrences with one fate. */
export interface OccurrenceSpan {
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly reason: OccurrenceReason;
}

/** The account of a schedule's occurrences: their number by fate. A type, so that it counts as plain JSON. */
export type OccurrenceAccount = {
  /** RFC 3339; every occurrence up to here is counted, and none after it. */
  through: string;
  ran: number;
  missed: number;
  overlapped: number;
};

/** The account of a job. Bindings coalesce nothing. */
export type JobAccount = OccurrenceAccount & { coalesced: number };

const counters = { run: 'ran', missed: 'missed', overlapped: 'overlapped', coalesced: 'coalesced' } as const;

/** A Schedule learns of a run's end a moment late, and skips occurrences in between. */
const settlingMs = 1_000;

/** An account that starts after `instant`. A first run that starts immediately was due then. */
export function emptyAccount(instant: number, startsNow = false): OccurrenceAccount {
  return { through: iso(instant), ran: startsNow ? 1 : 0, missed: 0, overlapped: 0 };
}

/** The occurrences up to `until`, from the end of the stretch before. */
interface Stretch {
  readonly until: number;
  readonly reason: OccurrenceReason;
}

/** Continues an account, one stretch after another. */
function continueAccount<A extends OccurrenceAccount>(
  cadence: Cadence,
  before: A,
  stretches: readonly Stretch[],
): { account: A; occurrences: OccurrenceSpan[] } {
  const counts: OccurrenceAccount & Partial<JobAccount> = { ...before };
  const occurrences: OccurrenceSpan[] = [];
  let from = Date.parse(before.through);
  for (const { until, reason } of stretches) {
    const span = spanOf(cadence, from, until, reason);
    if (span) {
      counts[counters[reason]] = (counts[counters[reason]] ?? 0) + span.count;
      append(occurrences, span);
    }
    from = Math.max(from, until);
  }
  return { account: { ...(counts as A), through: iso(from) }, occurrences };
}

/** The occurrences after `after` and up to `until`; undefined if there are none. */
export function spanOf(
  cadence: Cadence,
  after: number,
  until: number,
  reason: OccurrenceReason,
): OccurrenceSpan | undefined {
  const count = countBetween(cadence, after, until);
  if (count === 0) return undefined;
  return { first: iso(nextAfter(cadence, after)!), last: iso(previousBefore(cadence, until + 1)!), count, reason };
}

/** Neighbours with one fate are one span. */
function append(spans: OccurrenceSpan[], next: OccurrenceSpan): void {
  const last = spans.at(-1);
  if (last?.reason !== next.reason) spans.push(next);
  else spans[spans.length - 1] = { ...last, last: next.last, count: last.count + next.count };
}

/** Adds occurrences whose fate is known to an account. */
export function withOccurrences(account: JobAccount, occurrences: readonly OccurrenceSpan[]): JobAccount {
  const counts = { ...account };
  for (const { reason, count } of occurrences) counts[counters[reason]] += count;
  return counts;
}

/** Facts about a time of which no run has written the account. */
export interface GapFacts {
  /** Nominal times of runs that were started. */
  readonly started?: readonly number[];
  /** Occurrences that the server skipped because a run was active. */
  readonly skipped?: number;
  /** End of the last run: occurrences before it overlapped. */
  readonly previousEnd?: number | undefined;
}

/** Continues an account to `until`. Occurrences that the facts do not explain were missed. */
export function accountGap<A extends OccurrenceAccount>(
  cadence: Cadence,
  before: A,
  until: number,
  facts: GapFacts,
): A {
  const { started = [], skipped = 0, previousEnd } = facts;
  const from = Date.parse(before.through);
  if (until <= from) return before;
  const { account } = continueAccount(cadence, before, gap(until, previousEnd));
  const ran = started.filter((nominal) => nominal > from && nominal <= until && isOccurrence(cadence, nominal)).length;
  const overlapped = Math.min(account.missed - before.missed - ran, skipped);
  return {
    ...account,
    ran: account.ran + ran,
    missed: account.missed - ran - overlapped,
    overlapped: account.overlapped + overlapped,
  };
}

function gap(until: number, previousEnd?: number): Stretch[] {
  const missed: Stretch = { until, reason: 'missed' };
  if (previousEnd === undefined) return [missed];
  return [{ until: Math.min(previousEnd + settlingMs, until), reason: 'overlapped' }, missed];
}

/** A run of a binding, which writes the account when it ends. */
export interface BindingRun {
  readonly nominal: number;
  readonly startedAt: number;
  /** When it was last seen active. */
  readonly until: number;
}

/**
 * Continues the account of a binding through a run: the gap before it, its own occurrence, those it was late for, those that it delayed. A
 * run for a future time was started by hand, and has no occurrence.
 */
export function accountBindingRun(
  cadence: Cadence,
  before: OccurrenceAccount,
  run: BindingRun,
  facts: GapFacts,
): OccurrenceAccount {
  const { startedAt, until } = run;
  const nominal = Math.min(run.nominal, startedAt);
  // Occurrences that were skipped right after the run was last observed are known only to the server.
  const delayed = countBetween(cadence, Math.max(Date.parse(before.through), startedAt), until);
  const skipped = Math.max(0, (facts.skipped ?? 0) - delayed);
  return continueAccount(cadence, accountGap(cadence, before, nominal - 1, { ...facts, skipped }), [
    { until: nominal, reason: 'run' },
    { until: startedAt, reason: 'missed' },
    { until, reason: 'overlapped' },
  ]).account;
}

/** The account once a run was started for an occurrence that had been counted without one. */
export function recordRecovered(before: OccurrenceAccount): OccurrenceAccount {
  const { ran, missed, overlapped } = before;
  if (missed > 0) return { ...before, ran: ran + 1, missed: missed - 1 };
  return overlapped > 0 ? { ...before, ran: ran + 1, overlapped: overlapped - 1 } : before;
}

/** A run of a job, which computes the account when a worker accepts it. */
export interface JobRunTimes {
  readonly nominal: number;
  readonly startedAt: number;
  /** Occurrences until then found it waiting. */
  readonly takenAt: number;
}

/**
 * Continues the account of a job through a run: the gap before it, its own occurrence, whose fate is `reason`, and those that came due before
 * a worker took it.
 */
export function accountJobRun(
  cadence: Cadence,
  before: JobAccount,
  { nominal, startedAt, takenAt }: JobRunTimes,
  reason: OccurrenceReason,
  previousEnd?: number,
): { account: JobAccount; occurrences: OccurrenceSpan[] } {
  const hasOwn = isOccurrence(cadence, nominal) && nominal > Date.parse(before.through);
  if (hasOwn)
    return continueAccount(cadence, before, [
      ...gap(nominal - 1, previousEnd),
      { until: nominal, reason },
      { until: takenAt, reason: 'missed' },
    ]);
  return continueAccount(cadence, before, [
    ...gap(Math.min(startedAt, takenAt), previousEnd),
    { until: takenAt, reason: reason === 'run' ? 'overlapped' : 'missed' },
  ]);
}

/**
 * Whether a run that Temporal started has no occurrence: clocks went back, and its slot is shown for the second time. After an outage the
 * oldest missed time gets the one late run, whichever it is, which then covers those that became due since.
 */
export function isSuperfluous(cadence: Cadence, { through }: OccurrenceAccount, nominal: number, now: number): boolean {
  if (!isCoalescedSlot(cadence, nominal)) return false;
  const next = nextAfter(cadence, nominal);
  return next === undefined || next > now || next <= Date.parse(through);
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
