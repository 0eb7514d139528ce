import { formatInstant } from '../../base/time/instant.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Cadence } from '../../schedules/cadence/cadence.js';
import { occurrencesAfter } from '../../schedules/cadence/occurrences.js';
import type { Scenario } from '../scenario.js';
import { type Simulated, type SimulateOptions, simulate } from './simulate.js';

/** One due time of a job, and the run it started. */
export interface JobFire {
  at: string;
  /** The run; absent if the previous one was still active. */
  run?: Simulated;
}

/** Maximum number of times that are played. */
export const maxFires = 20_000;

/** Plays a journey at the times of a job up to an instant, each run from the same input. A time during an active run is skipped. */
export async function simulateJob(
  definition: Definition,
  scenario: Scenario,
  cadence: Cadence,
  until: number,
  options: SimulateOptions,
): Promise<{ fires: JobFire[]; more: boolean }> {
  const fires: JobFire[] = [];
  let busyUntil = Number.NEGATIVE_INFINITY;
  for (const at of occurrencesAfter(cadence, scenario.now - 1)) {
    if (at > until) break;
    if (fires.length === maxFires) return { fires, more: true };
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
