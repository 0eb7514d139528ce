import type { Cadence } from '../cadence/cadence.js';
import { countBetween } from '../cadence/occurrences.js';

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

/** An account that begins after `instant`; a first run that starts at once was due then. */
export function noOccurrences(instant: number, startsNow = false): Occurrences {
  return { through: new Date(instant).toISOString(), ran: startsNow ? 1 : 0, missed: 0, overlapped: 0 };
}

/** Continues the account through a run: what lies before it, its own occurrence, what it was late for, what it held up. */
export function accountRun(
  cadence: Cadence,
  before: Occurrences,
  run: SeenRun,
  started: readonly number[],
): Occurrences {
  const gap = accountGap(cadence, before, run.nominal - 1, started);
  const from = Date.parse(gap.through);
  const own = countBetween(cadence, Math.max(from, run.nominal - 1), run.nominal);
  const due = Math.max(from, run.nominal);
  const began = Math.max(due, run.startedAt);
  const until = Math.max(began, run.until);
  return {
    through: new Date(until).toISOString(),
    ran: gap.ran + own,
    missed: gap.missed + countBetween(cadence, due, began),
    overlapped: gap.overlapped + countBetween(cadence, began, until),
  };
}

/** Continues the account to `until`, where no run is known but those that were started for the times in `started`. */
export function accountGap(
  cadence: Cadence,
  before: Occurrences,
  until: number,
  started: readonly number[],
): Occurrences {
  const from = Date.parse(before.through);
  if (until <= from) return before;
  const ran = started.filter((nominal) => nominal > from && nominal <= until && isOn(cadence, nominal)).length;
  return {
    through: new Date(until).toISOString(),
    ran: before.ran + ran,
    missed: before.missed + countBetween(cadence, from, until) - ran,
    overlapped: before.overlapped,
  };
}

/** Whether an instant lies on the grid; a run started by hand does not. */
export function isOn(cadence: Cadence, instant: number): boolean {
  return countBetween(cadence, instant - 1, instant) === 1;
}
