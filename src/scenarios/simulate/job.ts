import type { Definition } from '../../definition/definition.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { occurrencesAfter } from '../../scheduling/cadence/occurrences.js';
import { formatInstant } from '../../time/duration.js';
import type { Scenario } from '../scenario.js';
import { type Simulated, type SimulateOptions, simulate } from './simulate.js';

/** One time of a job, and the run it started. */
export interface Fire {
  at: string;
  /** The run; none where the one before it was still active. */
  run?: Simulated;
}

/** More times than this are not played: nobody reads them. */
export const mostFires = 20_000;

/** Plays a journey at the times of a job, each run from the same input, up to an instant. A time that comes while a run is active starts none. */
export async function simulateJob(
  definition: Definition,
  scenario: Scenario,
  cadence: Cadence,
  until: number,
  options: SimulateOptions,
): Promise<{ fires: Fire[]; more: boolean }> {
  const fires: Fire[] = [];
  let busyUntil = Number.NEGATIVE_INFINITY;
  for (const at of occurrencesAfter(cadence, scenario.now - 1)) {
    if (at > until) break;
    if (fires.length === mostFires) return { fires, more: true };
    if (at < busyUntil) {
      fires.push({ at: formatInstant(at) });
      continue;
    }
    const run = await simulate(definition, { ...scenario, now: at }, options);
    busyUntil = run.observation.outcome ? at + (run.observation.elapsedMs ?? 0) : Number.POSITIVE_INFINITY;
    fires.push({ at: formatInstant(at), run });
  }
  return { fires, more: false };
}
