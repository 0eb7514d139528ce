import type { TimeScale } from '../../base/time/time-scale.js';
import type { Definition, State } from '../../engine/definition/definition.js';
import { mapStates, scaleState } from '../../language/states/state-queries.js';

/** Real milliseconds for a virtual span. */
export function realMs(virtualMs: number, { factor }: TimeScale): number {
  return virtualMs / factor;
}

/** Maximum timeout of calls in a scenario in which a call times out. */
const longestCallMs = 1_500;

/**
 * The same journey with its times shortened: timers, timeouts of waits, the deadline, delays between retries.
 * With `hasty`, calls have short timeouts, for scenarios in which one gets no response.
 */
export function scaleTimes(definition: Definition, scale: TimeScale, hasty: boolean): Definition {
  if (scale.factor === 1 && !hasty) return definition;
  const { execution } = definition;
  const change = (it: State) => scaleState(it, { ...scale, ...(hasty && { longestCallMs }) });
  return {
    ...mapStates(definition, change),
    subjourneys: Object.fromEntries(
      Object.entries(definition.subjourneys).map(([id, it]) => [id, mapStates(it, change)]),
    ),
    ...(definition.compensation && { compensation: mapStates(definition.compensation, change) }),
    ...(execution && { execution: { ...execution, maxDurationSec: execution.maxDurationSec / scale.factor } }),
  };
}
