import type { Definition } from './definition.js';

/** Limits on the duration of runs that apply to all documents. */
export interface DurationLimits {
  /** Default for journeys that do not set their own; unlimited if absent. */
  readonly defaultSec?: number;
  /** Upper bound for all journeys. */
  readonly maxSec?: number;
  /** Limit for compensations; unlimited if absent. */
  readonly compensationSec?: number;
}

/** Returns the journey with a deadline within the limits. */
export function withinDuration(definition: Definition, { defaultSec, maxSec }: DurationLimits = {}): Definition {
  const { execution } = definition;
  const wanted = execution?.maxDurationSec ?? defaultSec ?? maxSec;
  if (wanted === undefined) return definition;
  const maxDurationSec = Math.min(wanted, maxSec ?? wanted);
  const onTimeout = execution?.onTimeout ?? {
    errorCode: 'JOURNEY_TIMEOUT',
    reason: `The journey took over ${maxDurationSec} s.`,
  };
  return { ...definition, execution: { maxDurationSec, onTimeout } };
}
