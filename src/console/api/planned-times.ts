import type { JsonObject } from '../../base/json/value.js';
import type { PlannedTime } from './schedule-types.js';

/** The instants of a schedule or job that a new cadence keeps. */
export interface CadenceStart {
  /** The first run; a job has none. */
  readonly startAt?: string;
  /** The instant that an interval is counted from; absent: now. */
  readonly anchorAt?: string;
}

/** The interval or cron with the instant that an interval is counted from. */
export function anchored<T extends JsonObject>(cadence: T, { anchorAt }: CadenceStart): T {
  return cadence.type === 'interval' && anchorAt !== undefined ? { ...cadence, anchorAt } : cadence;
}

/** The request for a preview of a cadence from its first run on. */
export function previewRequest(cadence: JsonObject, start: CadenceStart, count: number, now: number): JsonObject {
  const { startAt } = start;
  const isAhead = startAt !== undefined && Date.parse(startAt) > now;
  return { cadence: anchored(cadence, start), count, ...(isAhead && { from: startAt }) };
}

/** The previewed times that are still to come, with a first run apart from the grid of its interval. */
export function plannedTimes(
  runs: readonly PlannedTime[],
  { type }: JsonObject,
  { startAt, anchorAt }: CadenceStart,
  now: number,
): readonly PlannedTime[] {
  const planned = runs.filter(({ instant }) => Date.parse(instant) > now);
  const isApart = type === 'interval' && startAt !== undefined && anchorAt !== startAt && Date.parse(startAt) > now;
  if (!isApart || planned.some(({ instant }) => Date.parse(instant) === Date.parse(startAt))) return planned;
  return [{ instant: startAt }, ...planned];
}
