import type { Definition } from '../definition/definition.js';
import { compare, type Mismatch } from './compare.js';
import type { Observation, ScenarioRunner } from './observation.js';
import type { RunPlace } from './run-place.js';
import type { Scenario } from './scenario.js';
import { virtualRunner } from './virtual/runner.js';

/** What became of one scenario. */
export interface ScenarioReport {
  name: string;
  passed: boolean;
  mismatches: Mismatch[];
  /** Absent when the run failed in a way that is our fault; then a mismatch says how. */
  observation?: Observation;
  /** Where the run of a scenario that failed ended or stands, if that is not where it should. */
  place?: RunPlace;
  /** Where runs of its schedules failed that the scenario expects otherwise. */
  scheduled?: RunPlace[];
  /** Secrets that its journey needs and that could not be read, with why. */
  secrets?: string[];
}

/** Runs one scenario and compares what came of it with what it expects. */
export async function runScenario(
  definition: Definition,
  scenario: Scenario,
  runner: ScenarioRunner = virtualRunner,
): Promise<ScenarioReport> {
  const { name } = scenario;
  try {
    const observation = await runner.run(definition, scenario);
    const mismatches = compare(scenario, observation);
    return { name, passed: mismatches.length === 0, mismatches, observation };
  } catch (error) {
    const message = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
    return { name, passed: false, mismatches: [{ subject: 'run', message, ...scenario.place(scenario.pointer) }] };
  }
}
