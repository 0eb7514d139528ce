import { parse } from 'yaml';
import { parseSource } from '../../../base/document/parse-yaml.js';
import type { Json, JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import { formatInstant } from '../../../base/time/instant.js';
import type { Definition } from '../../../engine/definition/definition.js';
import { effectForms } from '../../../language/tasks/registry.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { type Recording, recordPlay } from '../../../scenarios/simulate/record-visited-moments.js';
import { openApiReplies, validSample } from '../../../scenarios/simulate/schema-samples.js';
import type { PlayPlatform } from '../../../scenarios/virtual/prepare-and-play-scenario.js';
import { backendOf, expectationOf, scenarioFileText } from '../../../scenarios/write-scenario.js';
import { interpretedChecks } from '../../../service/start/input-checks.js';
import { readDocuments } from './check-documents.js';
import { catalogue, scriptFields } from './examples.js';
import type { Documents, Played } from './worker-protocol.js';

/** A browser: inputs are validated without generated code, and credentials cannot be checked. */
const browser: PlayPlatform = {
  inputChecks: () => interpretedChecks,
  authEffects: () =>
    Object.fromEntries(
      effectForms()
        .filter(({ virtual }) => virtual === 'real')
        .map(({ name }) => [name, async () => refuse('TASK_FAILED', 'The playground does not check credentials.')]),
    ),
};

/** Plays the journey once in virtual time. Rejects if a document has errors. */
export async function playDocuments(documents: Documents): Promise<Played> {
  const { definition, script } = readDocuments(documents);
  if (!definition || !script) throw new Error('The documents have errors.');
  const fields = scriptFields(parse(documents.scenario, { maxAliasCount: 100 }) as Json);
  const sample = 'input' in fields || !definition.input ? undefined : validSample(definition.input.schema);
  const scenario: Scenario = { ...script, ...(sample !== undefined && { input: sample as JsonObject }) };
  const document = parseSource(documents.journey).value;
  const recording = await recordPlay(browser, definition, scenario, openApiReplies(document, catalogue));
  const { moments, truncated, observation } = recording;
  const { refused, outcome, problems: troubles } = observation;
  return {
    startedAt: scenario.now,
    moments,
    truncated,
    troubles: troubles.map(({ message, hint }) => ({ message, ...(hint !== undefined && { hint }) })),
    ...(refused && { refused: { code: refused.code, detail: refused.detail ?? refused.title } }),
    ...(outcome && { outcome }),
    scenarioText: savedScenario(definition, scenario, fields, recording),
  };
}

/** The play as a scenario file: what was scripted, what came from samples, and how it ended. */
function savedScenario(
  { name }: Definition,
  { now, input }: Scenario,
  fields: JsonObject,
  { samples, observation }: Recording,
): string {
  const scripted = Array.isArray(fields.backend) ? fields.backend : [];
  const backend = [...scripted, ...backendOf(samples)];
  const { backend: _, ...others } = fields;
  return scenarioFileText(`./${name}.journey.yaml`, `${name} as played`, {
    now: formatInstant(now),
    input,
    ...others,
    ...(backend.length > 0 && { backend }),
    expect: expectationOf(observation),
  });
}
