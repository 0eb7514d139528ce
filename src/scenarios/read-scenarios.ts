import { describe, given, isBlock, optionalBoolean, optionalInteger, optionalText } from '../document/fields.js';
import { lineColumnAt, sourceFindings } from '../document/locate.js';
import { parseSource, type Source } from '../document/parse.js';
import { Place, type Report } from '../document/place.js';
import { emptyObject, isObject, type JsonObject } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import { parseInstant } from '../time/duration.js';
import { readBackend } from './read-backend.js';
import { readExpectation } from './read-expectation.js';
import { readSignals, readSteps, readTrigger } from './read-inputs.js';
import { mergedProfiles, readProfiles } from './read-profiles.js';
import { duration, textMap } from './read-values.js';
import type { Scenario } from './scenario.js';

/** A scenario file: which journey it is about, and its scenarios. */
export interface ScenarioFile {
  /** As written; the file's own name decides when it is left out. */
  journey?: { path: string; place: Place };
  scenarios: { scenario: Scenario; place: Place }[];
  /** What the scenarios share. */
  shared?: Place;
  findings: Finding[];
}

/** The fields that all scenarios of a file can share under `given`. */
export const sharedFields = [
  'input',
  'headers',
  'query',
  'certificate',
  'profiles',
  'config',
  'environment',
  'now',
  'seed',
  'backend',
] as const;
/** The fields of one scenario. */
export const scenarioFields = [
  ...sharedFields,
  'description',
  'steps',
  'signals',
  'cancel',
  'until',
  'virtualOnly',
  'expect',
] as const;
const defaultNow = Date.UTC(2026, 0, 1);

/** Reads a scenario file; pure and total. What is wrong is in the findings, each with its place. */
export function readScenarios(given: string | Source, path?: string): ScenarioFile {
  const source = typeof given === 'string' ? parseSource(given, path) : given;
  const findings = sourceFindings(source);
  const file: ScenarioFile = { scenarios: [], findings };
  if (source.value === undefined) return file;
  const report: Report = { source, findings, compat: true };
  readFile(new Place(report, '', source.value), file, path);
  dropRepeats(findings);
  return file;
}

/**
 * Reads what a simulation meets: a file of scenarios, or the fields of one scenario by themselves, which then needs to expect nothing.
 */
export function readScript(text: string, path?: string): ScenarioFile {
  const source = parseSource(text, path);
  if (isObject(source.value) && Object.hasOwn(source.value, 'scenarios')) return readScenarios(source, path);
  const findings = sourceFindings(source);
  const file: ScenarioFile = { scenarios: [], findings };
  if (source.value === undefined && !source.empty) return file;
  const root = new Place({ source, findings, compat: true }, '', source.value ?? emptyObject());
  const scenario = readScenario('script', root, root.at('given'), path, false);
  if (scenario) file.scenarios.push({ scenario, place: root });
  return file;
}

/** What scenarios share is read once for each of them. */
export function dropRepeats(findings: Finding[]): void {
  const seen = new Set<string>();
  for (const finding of findings.splice(0)) {
    const key = `${finding.code} ${finding.pointer}`;
    if (!seen.has(key)) findings.push(finding);
    seen.add(key);
  }
}

function readFile(root: Place, file: ScenarioFile, path?: string): void {
  if (!root.object) {
    root.error('FIELD_TYPE', `A scenario file is an object, not ${describe(root.value)}.`);
    return;
  }
  root.only(['journey', 'given', 'scenarios']);
  const journey = optionalText(root.at('journey'), 'FIELD_TYPE', 'journey');
  if (journey !== undefined) file.journey = { path: journey, place: root.at('journey') };
  const shared = root.at('given');
  file.shared = shared;
  if (isBlock(shared, 'FIELD_TYPE', 'given')) shared.only(sharedFields);
  const scenarios = root.at('scenarios');
  if (!scenarios.object || scenarios.entries().length === 0) {
    const place = root.has('scenarios') ? scenarios : root;
    place.error('FIELD_REQUIRED', 'scenarios must hold at least one scenario, by its name.');
    return;
  }
  for (const [name, place] of scenarios.entries()) {
    const scenario = readScenario(name, place, shared, path);
    if (scenario) file.scenarios.push({ scenario, place });
  }
}

function readScenario(
  name: string,
  place: Place,
  shared: Place,
  path?: string,
  mustExpect = true,
): Scenario | undefined {
  if (!isBlock(place, 'FIELD_TYPE', `The scenario "${name}"`)) return undefined;
  place.only(scenarioFields);
  optionalText(place.at('description'), 'FIELD_TYPE', 'description');
  const either = (field: string) => (place.has(field) ? place.at(field) : shared.at(field));
  const { report } = place;
  return {
    name,
    pointer: place.pointer,
    input: object(either('input'), 'input'),
    headers: texts('headers', shared, place, (header) => header.toLowerCase()),
    query: texts('query', shared, place),
    ...given('certificate', optionalText(either('certificate'), 'FIELD_TYPE', 'certificate')),
    plugins: mergedProfiles(readProfiles(shared.at('profiles'), path), readProfiles(place.at('profiles'), path)),
    config: merged(object(shared.at('config'), 'config'), object(place.at('config'), 'config')),
    environment: optionalText(either('environment'), 'FIELD_TYPE', 'environment') ?? 'test',
    now: instant(either('now')),
    seed: optionalInteger(either('seed'), 'FIELD_TYPE', 'seed', 0) ?? 1,
    backend: [...readBackend(place.at('backend')), ...readBackend(shared.at('backend'))],
    steps: readSteps(place.at('steps')),
    signals: readSignals(place.at('signals')),
    ...given('cancel', place.has('cancel') ? readTrigger(place.at('cancel'), 'cancel') : undefined),
    ...given('until', duration(place.at('until'), 'until')),
    virtualOnly: optionalBoolean(place.at('virtualOnly'), 'FIELD_TYPE', 'virtualOnly') ?? false,
    expect: mustExpect || place.has('expect') ? readExpectation(place) : {},
    place: (pointer) => lineColumnAt(report.source, pointer),
  };
}

/** The scenario's values over the shared ones; null takes a shared one away. */
function merged(shared: JsonObject, own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...shared, ...own }).filter(([, value]) => value !== null));
}

/** An object; empty where there is none. */
export function object(place: Place, name: string): JsonObject {
  return isBlock(place, 'FIELD_TYPE', name) ? place.object! : emptyObject();
}

/** The scenario's texts over the shared ones, as `merged` does it with other values; `as` is how a name is kept. */
function texts(
  name: 'headers' | 'query',
  shared: Place,
  own: Place,
  as = (key: string) => key,
): Record<string, string> {
  const out = new Map(Object.entries(textMap(shared.at(name), name)).map(([key, value]) => [as(key), value]));
  const given = textMap(own.at(name), name, (key) => out.delete(as(key)));
  for (const [key, value] of Object.entries(given)) out.set(as(key), value);
  return Object.fromEntries(out);
}

/** The instant at which a scenario starts. */
export function instant(place: Place): number {
  if (place.value === undefined) return defaultNow;
  const value = typeof place.value === 'string' ? parseInstant(place.value) : undefined;
  if (value === undefined) {
    place.error(
      'SCENARIO_INSTANT',
      `now must be an RFC 3339 timestamp, not ${describe(place.value)}.`,
      'Write it in quotes, like "2030-01-31T09:00:00Z".',
    );
  }
  return value ?? defaultNow;
}
