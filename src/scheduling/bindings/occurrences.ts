import type { Cadence } from '../cadence/cadence.js';
import { isCoalescedSlot } from '../cadence/coalesced.js';
import { countBetween, nextAfter } from '../cadence/occurrences.js';

/** What became of every occurrence of a binding's grid, up to an instant. A type, so that it counts as plain JSON. */
export type Occurrences = {
  /** RFC 3339; everything up to here is accounted for. */
  through: string;
  /** A run was started for it, however that ended. */
  ran: number;
  /** Nothing ran: server or workers were away, or it was paused. */
  missed: number;
  /** An earlier run was still active. */
  overlapped: number;
};

/** A run, by when it should have started, did start, and was last seen. */
export interface SeenRun {
  nominal: number;
  startedAt: number;
  until: number;
}

/** What the Schedule itself knows of the time since an account ended. */
export interface ServerSide {
  /** The times that its latest runs were started for. */
  started: readonly number[];
  /** How many times it skipped because a run was active. */
  skipped: number;
}

/** An account that begins after `instant`; a first run that starts at once was due then. */
export function noOccurrences(instant: number, startsNow = false): Occurrences {
  return { through: new Date(instant).toISOString(), ran: startsNow ? 1 : 0, missed: 0, overlapped: 0 };
}

/**
 * Continues the account through a run: what lies before it, its own occurrence, what it was late for, what it held up. A run for a
 * future time was started by hand, and is none of these.
 */
export function accountRun(cadence: Cadence, before: Occurrences, run: SeenRun, server: ServerSide): Occurrences {
  const nominal = Math.min(run.nominal, run.startedAt);
  const from = Math.max(Date.parse(before.through), nominal - 1);
  const due = Math.max(from, nominal);
  const began = Math.max(due, run.startedAt);
  const until = Math.max(began, run.until);
  const heldUp = countBetween(cadence, began, until);
  const skipped = Math.max(0, server.skipped - heldUp);
  const gap = accountGap(cadence, before, nominal - 1, { ...server, skipped });
  return {
    through: new Date(until).toISOString(),
    ran: gap.ran + countBetween(cadence, from, nominal),
    missed: gap.missed + countBetween(cadence, due, began),
    overlapped: gap.overlapped + heldUp,
  };
}

/** The account when a time that had passed without a run got one after all. */
export function madeUp(before: Occurrences): Occurrences {
  const { ran, missed, overlapped } = before;
  if (missed > 0) return { ...before, ran: ran + 1, missed: missed - 1 };
  return overlapped > 0 ? { ...before, ran: ran + 1, overlapped: overlapped - 1 } : before;
}

/**
 * Continues the account to `until`; the only runs known are those started for the times in `started`. A run is active for a moment
 * after it was last seen: only the server knows that what came due then was skipped.
 */
export function accountGap(
  cadence: Cadence,
  before: Occurrences,
  until: number,
  { started, skipped }: ServerSide,
): Occurrences {
  const from = Date.parse(before.through);
  if (until <= from) return before;
  const ran = started.filter((nominal) => nominal > from && nominal <= until && isOn(cadence, nominal)).length;
  const without = countBetween(cadence, from, until) - ran;
  const overlapped = Math.min(without, skipped);
  return {
    through: new Date(until).toISOString(),
    ran: before.ran + ran,
    missed: before.missed + without - overlapped,
    overlapped: before.overlapped + overlapped,
  };
}

/**
 * Whether a run that Temporal started stands for no occurrence: clocks went back, and it is the second showing of a slot. After an outage
 * the oldest time that was missed gets the one late run, whichever it is: then it stands for those that came due since.
 */
export function isSuperfluous(cadence: Cadence, { through }: Occurrences, nominal: number, now: number): boolean {
  if (!isCoalescedSlot(cadence, nominal)) return false;
  const next = nextAfter(cadence, nominal);
  return next === undefined || next > now || next <= Date.parse(through);
}

/** Whether an instant lies on the grid; a run started by hand does not. */
export function isOn(cadence: Cadence, instant: number): boolean {
  return countBetween(cadence, instant - 1, instant) === 1;
}
