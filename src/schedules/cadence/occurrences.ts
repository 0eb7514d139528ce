import { boundedCache } from '../../base/json/bounded-cache.js';
import { addDuration } from '../../base/time/duration.js';
import { type Cadence, day, hour, type Iso, lastInstant } from './cadence.js';
import { countOfCron, isOfCron, nextOfCron, previousOfCron } from './cron-occurrences.js';
import { transitions } from './zone-transitions.js';

/** The first occurrence after `instant`, or undefined when there is none before the end of 2100. */
export function nextAfter(cadence: Cadence, instant: number): number | undefined {
  const first = firstOf(cadence);
  const next = first !== undefined && instant < first ? first : unboundedNext(cadence, instant);
  return next !== undefined && next <= lastInstant ? next : undefined;
}

/** The first occurrence of a cadence that has one apart from its grid. */
function firstOf(cadence: Cadence): number | undefined {
  return cadence.kind === 'every' || cadence.kind === 'iso' ? cadence.first : undefined;
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
  const first = firstOf(cadence);
  const previous = previousOnGrid(cadence, bound);
  if (first === undefined || (previous !== undefined && previous > first)) return previous;
  return first <= bound ? first : undefined;
}

function previousOnGrid(cadence: Cadence, bound: number): number | undefined {
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

/** The number of occurrences after `after` and up to `until`, without enumerating them. */
export function countBetween(cadence: Cadence, after: number, until: number): number {
  const end = Math.min(until, lastInstant);
  const first = firstOf(cadence);
  if (first === undefined) return countOnGrid(cadence, after, end);
  return (after < first && first <= end ? 1 : 0) + countOnGrid(cadence, Math.max(after, first), end);
}

function countOnGrid(cadence: Cadence, after: number, end: number): number {
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

/** The end of an enumeration: after so many occurrences, or with the last one up to an instant. */
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
 * Only around a change of the zone's clock: if the server's zone rules differ from ours, the server is right.
 */
export function isCoalesced(cadence: Cadence, nominal: number): boolean {
  if (cadence.kind !== 'cron' || isOfCron(cadence, nominal)) return false;
  const near = transitions(cadence.zone, nominal - 26 * hour, nominal + 4 * hour).next();
  return !near.done;
}

/** Whether the cadence has an occurrence at an instant; a run started by hand has none. */
export function isOccurrence(cadence: Cadence, instant: number): boolean {
  if (cadence.kind !== 'iso') return countBetween(cadence, instant - 1, instant) === 1;
  if (cadence.first !== undefined && instant <= cadence.first) return instant === cadence.first;
  // Months differ from their average by days, so that rounding finds the only occurrence that can be meant.
  const k = Math.max(0, Math.round((instant - cadence.anchor) / averageLength(cadence)));
  return instant <= lastInstant && step(cadence, k) === instant;
}

function everyStepAfter({ anchor, millis }: { anchor: number; millis: number }, instant: number): number {
  return Math.max(0, Math.floor((instant - anchor) / millis) + 1);
}

/** Counting and searching repeatedly compute the same few occurrences, and luxon takes microseconds for each. */
const steps = boundedCache<number>(200);

/** The k-th occurrence: always counted from the anchor, so that 31 January is followed by 28 February and then 31 March. */
export function step({ anchor, months, days, millis }: Iso, k: number): number {
  return steps(`${anchor} ${months} ${days} ${millis} ${k}`, () =>
    addDuration(anchor, { years: 0, months: months * k, days: days * k, millis: millis * k }),
  );
}

/** The number of the first occurrence after `instant`. */
export function stepAfter(iso: Iso, instant: number): number {
  let k = Math.max(0, Math.floor((instant - iso.anchor) / averageLength(iso)));
  while (k > 0 && step(iso, k - 1) > instant) k--;
  while (step(iso, k) <= instant) k++;
  return k;
}

function averageLength({ months, days, millis }: Iso): number {
  return (months * 365.2425 * day) / 12 + days * day + millis;
}
