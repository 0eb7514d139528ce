import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parse } from 'yaml';
import type { Output } from '../../../app/safe-terminal-text.js';
import { isObject, type JsonObject } from '../../../base/json/value.js';
import { ProblemError, problem, refuse } from '../../../base/problems/problem.js';
import { type Duration, parseDuration } from '../../../base/time/duration.js';
import { parseInstant } from '../../../base/time/instant.js';
import type { Definition } from '../../../engine/definition/definition.js';
import { checkScenario } from '../../../scenarios/read/check-names-against-journey.js';
import { readProfiles } from '../../../scenarios/read/read-auth-profiles.js';
import { readScript } from '../../../scenarios/read/read-scenario-file.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { validSample } from '../../../scenarios/simulate/schema-samples.js';
import { readCadence } from '../../../schedules/cadence/cadence-json.js';
import type { CatalogueOptions } from '../../options.js';
import { type Prompt, promptInput } from './ask-for-missing-answers.js';

/** Options of the command. */
export interface SimulateArguments extends CatalogueOptions {
  config?: string;
  format: 'text' | 'json';
  input?: JsonObject;
  script?: string;
  scenario?: string;
  state?: string;
  context?: JsonObject;
  now?: number;
  until?: Duration;
  idle?: true;
  ask: boolean;
  save?: string;
  schedule?: true;
  for?: Duration;
  every?: string;
  cron?: string;
  at?: string;
  timezone?: string;
}

/** Default duration of simulated schedules. */
export const defaultSpan = parseDuration('P1Y')!;

/** The selected scenario of the script, with the options applied. `whole`: it comes from a scenario file. */
export function scriptOf(definition: Definition, options: SimulateArguments): { script: Scenario; whole: boolean } {
  const { script: path, scenario: name, now, until, schedule } = options;
  const text = path === undefined ? '' : readText(path);
  const read = readScript(text, path, readProfiles);
  for (const { place } of read.scenarios) checkScenario(place, definition);
  const errors = read.findings.filter(
    ({ severity, code }) => severity === 'error' && !(text === '' && code.startsWith('DOC_')),
  );
  if (errors.length > 0)
    throw new ProblemError(
      problem('SCENARIO_FILE', 'The script has errors.', { errors, ...(path !== undefined && { instance: path }) }),
    );
  const found = name === undefined ? read.scenarios[0] : read.scenarios.find(({ scenario }) => scenario.name === name);
  if (!found) {
    const names = read.scenarios.map(({ scenario }) => scenario.name).join(', ');
    return refuse('SCENARIO_FILE', `The script does not contain the scenario "${name}".`, {
      hint: `Available: ${names}.`,
    });
  }
  const over = schedule ? (options.for ?? defaultSpan) : until;
  return {
    script: { ...found.scenario, ...(now !== undefined && { now }), ...(over && { until: over }) },
    whole: read.whole === true,
  };
}

/** The input: from the options, else the script, else the user, else a sample of the schema. */
export async function inputFor(
  { input: declared }: Definition,
  { input, script }: SimulateArguments,
  scenario: Scenario,
  ask: Prompt | undefined,
  out: Output,
): Promise<JsonObject> {
  if (input) return input;
  if (script !== undefined) return scenario.input;
  const sample = declared ? validSample(declared.schema) : {};
  const value = ask ? await promptInput(ask, out, sample) : sample;
  if (isObject(value)) return value;
  return refuse('INPUT_INVALID', 'No sample can be derived from the input schema.', {
    hint: 'Pass the input with --input or --script.',
  });
}

/** The cadence of a job, if given by the options. */
export function cadenceFor({ every, cron, at, timezone }: SimulateArguments, now: number) {
  if (every === undefined && cron === undefined && at === undefined) return undefined;
  const written: JsonObject =
    cron !== undefined
      ? { type: 'cron', expression: cron, ...(timezone !== undefined && { timezone }) }
      : at !== undefined
        ? { type: 'once', runAt: at }
        : { type: 'interval', every: every! };
  const { cadence, findings } = readCadence(written, { now });
  if (cadence) return cadence;
  const [first] = findings;
  return refuse('SCHEDULE_INVALID', `${first!.message}.`, { pointer: first!.pointer, errors: findings });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return refuse('SCENARIO_FILE', `${path} cannot be read: ${(error as Error).message}.`);
  }
}

/** Parses JSON or YAML, literal or from a file. */
export function objectOption(text: string): JsonObject {
  const source = existsSync(text) ? readFileSync(text, 'utf8') : text;
  let value: unknown;
  try {
    value = parse(source, { maxAliasCount: 0 });
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message.split('\n')[0]!);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidArgumentError('It must be an object, or a file that contains one.');
}

/** Parses an ISO-8601 duration. */
export function durationOption(text: string): Duration {
  const duration = parseDuration(text);
  if (duration) return duration;
  throw new InvalidArgumentError('It must be an ISO-8601 duration, like P1D or P1Y.');
}

/** Parses an RFC 3339 timestamp. */
export function instantOption(text: string): number {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError('It must be an RFC 3339 timestamp, like 2030-01-31T09:00:00Z.');
}
