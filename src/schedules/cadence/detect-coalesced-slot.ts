import { type Cadence, day, hour } from './cadence.js';
import { leavesOutDay } from './clock-change-corrections.js';
import { compileCron } from './cron-to-temporal-calendars.js';
import { isCoalesced } from './occurrences.js';
import { serverTimes } from './predict-server-times.js';
import { transitions } from './zone-transitions.js';

/** Distance before a clock change that corrections consider. */
const ahead = 6 * hour;

/**
 * Whether Temporal by itself starts a run at an instant at which the cadence does not run. `isCoalesced` relies on the caller that the
 * run was started by Temporal; this also distinguishes it from a run that was started by hand on the day of a clock change.
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
