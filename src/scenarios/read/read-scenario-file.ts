import { lineColumnAt, sourceFindings } from '../../base/document/locate-pointer.js';
import { parseSource, type Source } from '../../base/document/parse-yaml.js';
import { Place, type Report } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  isBlock,
  list,
  optionalBoolean,
  optionalInteger,
  optionalText,
  text,
} from '../../base/document/read-fields.js';
import { emptyObject, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { parseInstant } from '../../base/time/instant.js';
import type { Scenario, SignalInput, StepInput, Trigger } from '../scenario.js';
import { mergedProfiles, type ReadProfiles, withoutProfiles } from './auth-profile-schema-and-merge.js';
import { readDuration, textMap } from './durations-and-call-patterns.js';
import { readActivities, readBackend, readWorkflows } from './read-backend-and-activities.js';
import { readExpectation, readStepExpectation } from './read-expectation.js';

/** A scenario file: the journey it tests, and its scenarios. */
export interface ScenarioFile {
  /** As written; if absent, the journey with the same file name. */
  journey?: { path: string; place: Place };
  scenarios: { scenario: Scenario; place: Place }[];
  /** Fields that the scenarios share. */
  shared?: Place;
  /** A scenario file, not only the fields of one scenario. */
  whole?: true;
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
  'activities',
  'workflows',
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

/** Reads a scenario file. Never throws; errors are returned as findings with their position. */
export function readScenarios(
  given: string | Source,
  path?: string,
  readProfiles: ReadProfiles = withoutProfiles,
): ScenarioFile {
  const source = typeof given === 'string' ? parseSource(given, path) : given;
  const findings = sourceFindings(source);
  const file: ScenarioFile = { scenarios: [], findings };
  if (source.value === undefined) return file;
  const report: Report = { source, findings, compat: true };
  readFile(new Place(report, '', source.value), file, (place) => readProfiles(place, path));
  dropRepeats(findings);
  return file;
}

/**
 * Reads the script of a simulation: a scenario file, or the fields of one scenario, which then needs no expectations.
 */
export function readScript(text: string, path?: string, readProfiles: ReadProfiles = withoutProfiles): ScenarioFile {
  const source = parseSource(text, path);
  if (isObject(source.value) && Object.hasOwn(source.value, 'scenarios'))
    return { ...readScenarios(source, path, readProfiles), whole: true };
  const findings = sourceFindings(source);
  const file: ScenarioFile = { scenarios: [], findings };
  if (source.value === undefined && !source.empty) return file;
  const root = new Place({ source, findings, compat: true }, '', source.value ?? emptyObject());
  const scenario = readScenario('script', root, root.at('given'), (place) => readProfiles(place, path), false);
  if (scenario) file.scenarios.push({ scenario, place: root });
  return file;
}

/** Shared fields are read once for each scenario. */
export function dropRepeats(findings: Finding[]): void {
  const seen = new Set<string>();
  for (const finding of findings.splice(0)) {
    const key = `${finding.code} ${finding.pointer}`;
    if (!seen.has(key)) findings.push(finding);
    seen.add(key);
  }
}

function readFile(root: Place, file: ScenarioFile, profiles: ReadProfiles): void {
  if (!root.object) {
    root.error('FIELD_TYPE', `A scenario file must be an object, not ${describeType(root.value)}.`);
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
    place.error('FIELD_REQUIRED', 'scenarios must contain at least one scenario, by name.');
    return;
  }
  for (const [name, place] of scenarios.entries()) {
    const scenario = readScenario(name, place, shared, profiles);
    if (scenario) file.scenarios.push({ scenario, place });
  }
}

function readScenario(
  name: string,
  place: Place,
  shared: Place,
  profiles: ReadProfiles,
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
    ...ifDefined('certificate', optionalText(either('certificate'), 'FIELD_TYPE', 'certificate')),
    plugins: mergedProfiles(profiles(shared.at('profiles')), profiles(place.at('profiles'))),
    config: merged(object(shared.at('config'), 'config'), object(place.at('config'), 'config')),
    environment: optionalText(either('environment'), 'FIELD_TYPE', 'environment') ?? 'test',
    now: instant(either('now')),
    seed: optionalInteger(either('seed'), 'FIELD_TYPE', 'seed', 0) ?? 1,
    backend: [
      ...readBackend(place.at('backend')),
      ...readActivities(place.at('activities')),
      ...readWorkflows(place.at('workflows')),
      ...readBackend(shared.at('backend')),
      ...readActivities(shared.at('activities')),
      ...readWorkflows(shared.at('workflows')),
    ],
    steps: readSteps(place.at('steps')),
    signals: readSignals(place.at('signals')),
    ...ifDefined('cancel', place.has('cancel') ? readTrigger(place.at('cancel'), 'cancel') : undefined),
    ...ifDefined('until', readDuration(place.at('until'), 'until')),
    virtualOnly: optionalBoolean(place.at('virtualOnly'), 'FIELD_TYPE', 'virtualOnly') ?? false,
    expect: mustExpect || place.has('expect') ? readExpectation(place) : {},
    place: (pointer) => lineColumnAt(report.source, pointer),
  };
}

/** Merges the scenario's values over the shared ones; null removes a shared one. */
function merged(shared: JsonObject, own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...shared, ...own }).filter(([, value]) => value !== null));
}

/** Reads an object; empty if absent. */
export function object(place: Place, name: string): JsonObject {
  return isBlock(place, 'FIELD_TYPE', name) ? place.object! : emptyObject();
}

/** Merges the scenario's texts over the shared ones, like `merged` for other values; `as` normalises a name. */
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
      `now must be an RFC 3339 timestamp, not ${describeType(place.value)}.`,
      'Put it in quotes, like "2030-01-31T09:00:00Z".',
    );
  }
  return value ?? defaultNow;
}

const triggerFields = ['at', 'afterState', 'delay'] as const;
/** Fields of inputs of a run, for the reader and for the published schema. */
export const cancelFields: readonly string[] = triggerFields;
export const signalFields: readonly string[] = ['step', 'payload', ...triggerFields];
export const stepFields: readonly string[] = [...signalFields, 'headers', 'query', 'certificate', 'hook', 'expect'];

/** Reads `steps`: submissions over HTTP, in order. */
function readSteps(place: Place): StepInput[] {
  return list(place, 'FIELD_TYPE', 'steps').flatMap((item) => {
    const step = readTarget(item, stepFields, 'A step');
    return step === undefined
      ? []
      : {
          ...readTiming(item),
          step,
          payload: payloadOf(item),
          headers: textMap(item.at('headers'), 'headers'),
          query: textMap(item.at('query'), 'query'),
          ...ifDefined('certificate', optionalText(item.at('certificate'), 'FIELD_TYPE', 'certificate')),
          hook: optionalBoolean(item.at('hook'), 'FIELD_TYPE', 'hook') ?? false,
          ...ifDefined('expect', item.has('expect') ? readStepExpectation(item.at('expect')) : undefined),
        };
  });
}

/** Reads `signals`: plain Temporal signals named after steps, in order. */
function readSignals(place: Place): SignalInput[] {
  return list(place, 'FIELD_TYPE', 'signals').flatMap((item) => {
    const step = readTarget(item, signalFields, 'A signal');
    return step === undefined ? [] : { ...readTiming(item), step, payload: payloadOf(item) };
  });
}

/** Reads `cancel`: when cancellation is requested. */
function readTrigger(place: Place, name: string): Trigger | undefined {
  if (!isBlock(place, 'FIELD_TYPE', name)) {
    if (place.value === null)
      place.error('FIELD_REQUIRED', `${name} needs at or afterState.`, 'For example, cancel: {at: PT5M}.');
    return undefined;
  }
  place.only(cancelFields);
  const trigger = readTiming(place);
  if (!place.has('at') && !place.has('afterState')) {
    place.error('FIELD_REQUIRED', `${name} needs at or afterState.`, 'For example, cancel: {at: PT5M}.');
  }
  return trigger;
}

function readTarget(place: Place, fields: readonly string[], name: string): string | undefined {
  if (!place.object) {
    place.error('FIELD_TYPE', `${name} must be an object, not ${describeType(place.value)}.`);
    return undefined;
  }
  place.only(fields);
  if (!place.has('step')) {
    place.error('FIELD_REQUIRED', `${name} needs step: the id of the state that waits for it.`);
    return undefined;
  }
  return text(place.at('step'), 'FIELD_TYPE', 'step');
}

/** The payload as written, null included; an empty object if absent. */
function payloadOf(place: Place): Json {
  return place.at('payload').value === undefined ? {} : (place.at('payload').value as Json);
}

function readTiming(place: Place): Trigger {
  if (place.has('at') && place.has('afterState')) {
    place
      .at('afterState')
      .error('SCENARIO_TIMING', 'Use either at or afterState.', 'delay can be combined with both.', 'key');
  }
  return {
    pointer: place.pointer,
    ...ifDefined('at', readDuration(place.at('at'), 'at')),
    ...ifDefined('afterState', optionalText(place.at('afterState'), 'FIELD_TYPE', 'afterState')),
    ...ifDefined('delay', readDuration(place.at('delay'), 'delay')),
  };
}
