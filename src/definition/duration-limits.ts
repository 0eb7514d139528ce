import type { Definition } from './definition.js';

/** How long runs may take, whatever their documents say. */
export interface DurationLimits {
  /** For journeys that do not say it themselves; without it they may take for ever. */
  readonly defaultSec?: number;
  /** For all of them. */
  readonly maxSec?: number;
}

/** The journey with a deadline that is within the limits. */
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
