import type { Definition } from '../../engine/definition/definition.js';
import { authEffects } from '../../gateway/auth/auth-task-effects.js';
import { InputSchemas } from '../../service/ajv-input-checks.js';
import type { Scenario } from '../scenario.js';
import type { Observation, ScenarioRunner } from '../scenario-observation.js';
import { type PlayOptions, type PlayPlatform, playOn } from './prepare-and-play-scenario.js';

/** Schemas are compiled once for all scenarios of a journey, because that takes longer than playing one. */
const compiled = new WeakMap<Definition, InputSchemas>();

const node: PlayPlatform = {
  inputChecks(definition) {
    const schemas = compiled.get(definition) ?? new InputSchemas();
    compiled.set(definition, schemas);
    return schemas;
  },
  authEffects: (plugins, now) => authEffects({ plugins, now }),
};

/** Runs scenarios in virtual time. */
export const virtualRunner: ScenarioRunner = { run: (definition, scenario) => play(definition, scenario) };

/** Plays one scenario in virtual time. */
export async function play(definition: Definition, scenario: Scenario, options?: PlayOptions): Promise<Observation> {
  return await playOn(node, definition, scenario, options);
}
