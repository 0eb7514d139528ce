import { type Cadence, hour, lastInstant } from './cadence.js';
import { step, stepAfter } from './calendar-steps.js';
import { countOfCron, isOfCron, nextOfCron, previousOfCron } from './cron-instants.js';
import { transitions } from './zone.js';

/** The first occurrence after `instant`, or undefined when there is none before the end of 2100. */
export function nextAfter(cadence: Cadence, instant: number): number | undefined {
  const next = unboundedNext(cadence, instant);
  return next !== undefined && next <= lastInstant ? next : undefined;
}

function unboundedNext(cadence: Cadence, instant: number): number | undefined {
  switch (cadence.kind) {
    case 'once':
      return cadence.at > instant ? cadence.at : undefined;
    case 'every':
      return cadence.anchor + everyStepAfter(cadence, instant) * cadence.millis;
    case 'iso':
      return step(cadence, stepAfter(cadence, instant));
    case 'cron':
      return nextOfCron(cadence, instant);
  }
}

/** The last occurrence before `instant`, or undefined. */
export function previousBefore(cadence: Cadence, instant: number): number | undefined {
  const bound = Math.min(instant, lastInstant + 1) - 1;
  switch (cadence.kind) {
    case 'once':
      return cadence.at <= bound ? cadence.at : undefined;
    case 'every': {
      const k = everyStepAfter(cadence, bound);
      return k > 0 ? cadence.anchor + (k - 1) * cadence.millis : undefined;
    }
    case 'iso': {
      const k = stepAfter(cadence, bound);
      return k > 0 ? step(cadence, k - 1) : undefined;
    }
    case 'cron':
      return previousOfCron(cadence, bound + 1);
  }
}

/** How many occurrences lie after `after` and not after `until`; without walking through them. */
export function countBetween(cadence: Cadence, after: number, until: number): number {
  const end = Math.min(until, lastInstant);
  if (end <= after) return 0;
  switch (cadence.kind) {
    case 'once':
      return cadence.at > after && cadence.at <= end ? 1 : 0;
    case 'every':
      return everyStepAfter(cadence, end) - everyStepAfter(cadence, after);
    case 'iso':
      return stepAfter(cadence, end) - stepAfter(cadence, after);
    case 'cron':
      return countOfCron(cadence, after, end);
  }
}

/** The occurrences after `after`, in order and on demand. */
export function* occurrencesAfter(cadence: Cadence, after: number): Generator<number> {
  let next = nextAfter(cadence, after);
  while (next !== undefined) {
    yield next;
    next = nextAfter(cadence, next);
  }
}

/** Where an enumeration ends: after so many occurrences, or with the last one not after an instant. */
export type Extent = { count: number } | { until: number };

/**
 * The occurrences after `after` as a list. It names the times at which Temporal starts runs for the compiled cadence,
 * without those that `isCoalesced` recognises.
 */
export function enumerate(cadence: Cadence, after: number, extent: Extent): number[] {
  const out: number[] = [];
  if ('count' in extent && extent.count <= 0) return out;
  for (const instant of occurrencesAfter(cadence, after)) {
    if ('until' in extent && instant > extent.until) break;
    out.push(instant);
    if ('count' in extent && out.length >= extent.count) break;
  }
  return out;
}

/**
 * Whether Temporal fires at `nominal` although the cadence does not run there: the second showing of a local time when
 * clocks go back, or one that the server moves on its own. Such a run closes as `coalesced`.
 *
 * Only around a change of the zone's clock: if the server's zone rules differ from ours, its word counts.
 */
export function isCoalesced(cadence: Cadence, nominal: number): boolean {
  if (cadence.kind !== 'cron' || isOfCron(cadence, nominal)) return false;
  const near = transitions(cadence.zone, nominal - 26 * hour, nominal + 4 * hour).next();
  return !near.done;
}

function everyStepAfter({ anchor, millis }: { anchor: number; millis: number }, instant: number): number {
  return Math.max(0, Math.floor((instant - anchor) / millis) + 1);
}
