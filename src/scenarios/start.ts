import type { Definition } from '../definition/definition.js';
import { instanceMetadata } from '../engine/metadata.js';
import { copy, emptyObject, type JsonObject } from '../json/value.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import { StartChecks } from '../service/start.js';
import type { Scenario } from './scenario.js';

/** What a scenario starts its run with, or why the gateway refuses to. The checks are the gateway's own. */
export function prepareStart(
  definition: Definition,
  { input, headers, query, config, environment }: Scenario,
): { context: JsonObject } | { refused: Problem } {
  const platform = { environment, timezone: 'UTC', config: { [definition.name]: config } };
  const checks = new StartChecks(platform, unsupportedFeatures);
  const parts = { body: Object.assign(emptyObject(), copy(input)), headers, query: new URLSearchParams(query) };
  try {
    const context = checks.context({ definition, hash: '' }, parts);
    instanceMetadata(definition, { body: context, headers });
    return { context };
  } catch (error) {
    if (error instanceof ProblemError) return { refused: error.problem };
    throw error;
  }
}
