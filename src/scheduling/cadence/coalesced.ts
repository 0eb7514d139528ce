import { type Cadence, day, hour } from './cadence.js';
import { compileCron } from './compile-cron.js';
import { leavesOutDay } from './corrections.js';
import { isCoalesced } from './occurrences.js';
import { serverTimes } from './server-times.js';
import { transitions } from './zone.js';

/** As far ahead of a change of the clock as corrections look. */
const ahead = 6 * hour;

/**
 * Whether Temporal by itself starts a run at an instant at which the cadence does not run. `isCoalesced` takes the caller's word that the
 * run is Temporal's; this also tells it from a run that somebody started by hand on the day on which clocks change.
 */
export function isCoalescedSlot(cadence: Cadence, instant: number): boolean {
  if (cadence.kind !== 'cron' || !isCoalesced(cadence, instant)) return false;
  if (cadence.from !== undefined && instant < cadence.from) return false;
  const change = transitions(cadence.zone, instant - 26 * hour, instant + 4 * hour).next().value;
  if (change && leavesOutDay(change)) return false;
  const from = Math.min(instant, change?.at ?? instant) - ahead;
  const { completeUntil: _, ...spec } = compileCron(cadence, from, instant + 2 * day);
  return serverTimes(spec, from, instant).includes(instant);
}
