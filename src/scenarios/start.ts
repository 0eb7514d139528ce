import type { Definition } from '../definition/definition.js';
import { copy, emptyObject } from '../json/value.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import { apiMethod, parametersFrom } from '../service/apis.js';
import { InputSchemas } from '../service/input-schemas.js';
import { type PreparedStart, Starts } from '../service/start.js';
import type { Scenario } from './scenario.js';

/** Schemas are compiled once for all scenarios of a journey: that takes longer than playing one. */
const compiled = new WeakMap<Definition, InputSchemas>();

function schemasOf(definition: Definition): InputSchemas {
  const schemas = compiled.get(definition) ?? new InputSchemas();
  compiled.set(definition, schemas);
  return schemas;
}

/** What a scenario starts its run with, or why it is refused, just as over HTTP. */
export function prepareStart(
  definition: Definition,
  { input, headers, query, config, environment }: Scenario,
): { start: PreparedStart } | { refused: Problem } {
  const starts = new Starts({ environment, config: { [definition.name]: config } }, undefined, schemasOf(definition));
  // A GET has no body: what it brings in its path stands in the input under the fields it goes to.
  const byGet = definition.kind === 'Api' && apiMethod(definition) === 'GET';
  const body = Object.assign(emptyObject(), byGet ? {} : copy(input));
  const path = parametersFrom(definition, input);
  try {
    return {
      start: starts.prepare({ definition, hash: '' }, { body, headers, path, query: new URLSearchParams(query) }),
    };
  } catch (error) {
    if (error instanceof ProblemError) return { refused: error.problem };
    throw error;
  }
}
