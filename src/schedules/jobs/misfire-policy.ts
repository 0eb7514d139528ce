import type { Cadence } from '../cadence/cadence.js';
import { isCoalescedSlot } from '../cadence/detect-coalesced-slot.js';
import { isOccurrence, nextAfter } from '../cadence/occurrences.js';
import type { MisfirePolicy } from './job-record.js';

/** The trigger of a job's run: a time of its cadence, the second showing of one when clocks go back, or a person. */
export function triggerOf(cadence: Cadence, nominal: number): 'grid' | 'repeated' | 'hand' {
  if (isOccurrence(cadence, nominal)) return 'grid';
  return isCoalescedSlot(cadence, nominal) ? 'repeated' : 'hand';
}

/** The treatment of a late run. `ask`: one run for all missed occurrences is enough, so it depends on whether a newer run exists. */
export type Misfire = 'on time' | 'run' | 'skip' | 'ask';

export interface MisfireQuestion {
  policy: MisfirePolicy;
  allowOverlap: boolean;
  nominal: number;
  now: number;
  /** The delay that still counts as on time. */
  graceMs: number;
}

/** Applies a job's misfire policy to a run. */
export function misfireOf(cadence: Cadence, { policy, allowOverlap, nominal, now, graceMs }: MisfireQuestion): Misfire {
  if (now - nominal <= graceMs) return 'on time';
  if (policy === 'skip_missed') return 'skip';
  // Runs that may not overlap were never started for the times in between: this one is the recovery.
  if (!allowOverlap) return 'run';
  const next = nextAfter(cadence, nominal);
  return next !== undefined && next <= now ? 'ask' : 'run';
}
