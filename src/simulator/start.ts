import { bindInbound } from '../engine/inbound.js';
import { copy, type JsonObject, own } from '../json/value.js';
import { validate } from '../json-schema/validate.js';
import { type Problem, problem } from '../problems/problem.js';
import type { Definition } from '../spec/definition.js';
import type { Scenario } from './scenario.js';

/** What a scenario starts its run with, or why the gateway would refuse to. */
export function prepareStart(
  definition: Definition,
  scenario: Scenario,
): { context: JsonObject } | { refused: Problem } {
  for (const [key, { required }] of Object.entries(definition.platformConfig)) {
    if (required && own(scenario.config, key) === undefined) {
      return { refused: problem('CONFIG_MISSING', `${definition.name} needs the configuration value "${key}".`) };
    }
  }
  const context = bindInbound(copy(scenario.input), definition.http.start, scenario);
  const errors = definition.input ? validate(definition.input.schema, context) : [];
  if (errors.length === 0) return { context };
  const detail = errors.map(({ pointer, message }) => `${pointer || 'the body'} ${message}`).join('; ');
  return { refused: problem('INPUT_INVALID', detail) };
}
