import type { Definition } from '../engine/definition/definition.js';
import { type Mismatch, mismatchesOf } from './compare-expectation.js';
import type { RunPlace } from './locate-run-end-in-source.js';
import type { Scenario } from './scenario.js';
import type { Observation, ScenarioRunner } from './scenario-observation.js';
import { virtualRunner } from './virtual/virtual-runner.js';

/** The result of one scenario. */
export interface ScenarioReport {
  name: string;
  passed: boolean;
  mismatches: Mismatch[];
  /** Absent after an internal error, which is then a mismatch. */
  observation?: Observation;
  /** The place at which the run of a failed scenario ended or waits, if the scenario expects another. */
  place?: RunPlace;
  /** The places at which runs of its schedules failed unexpectedly. */
  scheduled?: RunPlace[];
  /** Secrets of its journey that could not be read, with the reason. */
  secrets?: string[];
}

/** Runs one scenario and compares the observation with its expectations. */
export async function runScenario(
  definition: Definition,
  scenario: Scenario,
  runner: ScenarioRunner = virtualRunner,
): Promise<ScenarioReport> {
  const { name } = scenario;
  try {
    const observation = await runner.run(definition, scenario);
    const mismatches = mismatchesOf(scenario, observation);
    return { name, passed: mismatches.length === 0, mismatches, observation };
  } catch (error) {
    const message = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
    return { name, passed: false, mismatches: [{ subject: 'run', message, ...scenario.place(scenario.pointer) }] };
  }
}
