import { didYouMean } from '../../base/document/did-you-mean.js';
import { lineColumnAt } from '../../base/document/locate-pointer.js';
import type { Place } from '../../base/document/placed-value.js';
import {
  ifDefined,
  isBlock,
  list,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalText,
  quoteName,
  text,
} from '../../base/document/read-fields.js';
import { shape, textOf, wholeOf, wordOf } from '../../base/document/schema-builders.js';
import { type Json, type JsonObject, own } from '../../base/json/value.js';
import { handlerOf, type PipelineDefinition } from '../../pipelines/definition.js';
import { readDuration } from '../read/durations-and-call-patterns.js';
import { readBackend } from '../read/read-backend-and-activities.js';
import { callsAt } from '../read/read-expectation.js';
import { instant, object } from '../read/read-scenario-file.js';
import { scenarioSchema } from '../read/scenario-schema.js';
import type { PipelineAction, PipelineScenario, PipelineStep } from './pipeline-scenario.js';

/** The fields that all scenarios of a file can share under `given`, and those of one scenario. */
const pipelineSharedFields = ['config', 'environment', 'now', 'seed', 'backend'] as const;
const pipelineScenarioFields = [...pipelineSharedFields, 'description', 'virtualOnly', 'do', 'expect'] as const;

/** Expectations of a pipeline besides calls: parts of its observed state. */
const seenFields = [
  'status',
  'pauses',
  'topics',
  'producers',
  'consumers',
  'runs',
  'suspended',
  'events',
  'published',
  'state',
] as const;
const expectFields = [...seenFields, 'calls', 'callsInAnyOrder'] as const;
const actionFields = ['publish', 'advance', 'trigger', 'pause', 'resume', 'resolve'] as const;

/** Reads the scenarios of a pipeline; errors are added to the findings of the place's report. */
export function readPipelineScenarios(root: Place, definition: PipelineDefinition): PipelineScenario[] {
  root.only(['pipeline', 'given', 'scenarios']);
  const shared = root.at('given');
  if (isBlock(shared, 'FIELD_TYPE', 'given')) shared.only(pipelineSharedFields);
  const scenarios = root.at('scenarios');
  if (!scenarios.object || scenarios.entries().length === 0)
    (root.has('scenarios') ? scenarios : root).error('FIELD_REQUIRED', 'scenarios must contain at least one scenario.');
  return scenarios.entries().flatMap(([name, place]) => {
    if (!isBlock(place, 'FIELD_TYPE', `The scenario "${name}"`)) return [];
    return [readScenario(name, place, shared, definition)];
  });
}

function readScenario(name: string, place: Place, shared: Place, definition: PipelineDefinition): PipelineScenario {
  place.only(pipelineScenarioFields);
  optionalText(place.at('description'), 'FIELD_TYPE', 'description');
  const either = (field: string) => (place.has(field) ? place.at(field) : shared.at(field));
  const steps = list(place.at('do'), 'FIELD_TYPE', 'do').map((item, i) => readHappening(item, i, definition));
  if (!place.has('expect') && !steps.some(({ expect }) => expect))
    place.error('FIELD_REQUIRED', 'A scenario needs expect.', 'For example, expect: {topics: {mail: {pending: 0}}}.');
  const { report } = place;
  return {
    name,
    pointer: place.pointer,
    config: object(either('config'), 'config'),
    environment: optionalText(either('environment'), 'FIELD_TYPE', 'environment') ?? 'test',
    now: instant(either('now')),
    seed: optionalInteger(either('seed'), 'FIELD_TYPE', 'seed', 0) ?? 1,
    backend: [...readBackend(place.at('backend')), ...readBackend(shared.at('backend'))],
    virtualOnly: optionalBoolean(place.at('virtualOnly'), 'FIELD_TYPE', 'virtualOnly') ?? false,
    steps,
    calls: { ...callsAt(place.at('expect'), 'calls'), ...callsAt(place.at('expect'), 'callsInAnyOrder') },
    expect: readExpected(place.at('expect'), definition, expectFields) ?? {},
    place: (pointer) => lineColumnAt(report.source, pointer),
  };
}

function readHappening(place: Place, index: number, definition: PipelineDefinition): PipelineStep {
  const happening: PipelineStep = { pointer: place.pointer };
  if (!isBlock(place, 'FIELD_TYPE', 'An entry of do')) return happening;
  place.only([...actionFields, 'code', 'expect']);
  const named = actionFields.filter((field) => place.has(field));
  if (named.length > 1 || (named.length === 0 && !place.has('expect')))
    place.error('FIELD_REQUIRED', `An entry needs exactly one of ${actionFields.join(', ')}, or only expect.`);
  const [what] = named;
  const code = optionalText(place.at('code'), 'FIELD_TYPE', 'code');
  const expect = readExpected(place.at('expect'), definition, seenFields);
  const action = what && readAction(what, place.at(what), index, definition);
  return { ...happening, ...ifDefined('action', action), ...ifDefined('code', code), ...ifDefined('expect', expect) };
}

function readAction(
  what: (typeof actionFields)[number],
  place: Place,
  index: number,
  definition: PipelineDefinition,
): PipelineAction | undefined {
  const handler = (at: Place): string => known(at, definition, 'SCENARIO_HANDLER_UNKNOWN');
  switch (what) {
    case 'publish': {
      if (!isBlock(place, 'FIELD_TYPE', 'publish')) return undefined;
      place.only(['topic', 'id', 'payload']);
      const topic = text(place.at('topic'), 'FIELD_TYPE', 'topic') ?? '';
      const id = optionalText(place.at('id'), 'FIELD_TYPE', 'id') ?? `event-${index + 1}`;
      return { type: 'publish', topic, id, payload: (place.at('payload').value ?? null) as Json };
    }
    case 'advance': {
      const by = readDuration(place, 'advance');
      return by && { type: 'advance', by };
    }
    case 'trigger':
      return { type: 'trigger', handler: handler(place) };
    case 'pause':
    case 'resume':
      if (place.value !== true) place.error('FIELD_TYPE', `Write ${what}: true.`);
      return { type: what };
    case 'resolve': {
      if (!isBlock(place, 'FIELD_TYPE', 'resolve')) return undefined;
      place.only(['handler', 'how']);
      const how = oneOf(place.at('how'), ['retry', 'did_not_happen', 'skip'], 'FIELD_TYPE', 'how');
      return how && { type: 'resolve', handler: handler(place.at('handler')), how };
    }
  }
}

function known(place: Place, definition: PipelineDefinition, code: 'SCENARIO_HANDLER_UNKNOWN'): string {
  const { value } = place;
  if (typeof value === 'string' && handlerOf(definition, value)) return value;
  const names = [...Object.keys(definition.producers), ...Object.keys(definition.consumers)];
  place.error(code, `${definition.name} has no producer or consumer ${quoteName(value)}.`, didYouMean(value, names));
  return '';
}

/** Reads expected parts of the observed state. Unknown names are reported, because they would never match. */
function readExpected(place: Place, definition: PipelineDefinition, fields: readonly string[]): JsonObject | undefined {
  if (!isBlock(place, 'FIELD_TYPE', 'expect')) return undefined;
  place.only(fields);
  const { topics, producers, consumers } = definition;
  const names: Record<string, object> = {
    topics,
    producers,
    consumers,
    events: topics,
    state: { ...producers, ...consumers },
  };
  for (const [field, all] of Object.entries(names))
    for (const [name, at] of place.at(field).entries())
      if (!Object.hasOwn(all, name))
        at.error(
          field === 'topics' || field === 'events' ? 'SCENARIO_TOPIC_UNKNOWN' : 'SCENARIO_HANDLER_UNKNOWN',
          `${definition.name} has no ${name} under ${field}.`,
          didYouMean(name, Object.keys(all)),
          'key',
        );
  const { calls: _, callsInAnyOrder: __, ...expected } = place.object!;
  return expected;
}

const { rule, reply, expectedCall } = own(scenarioSchema, '$defs') as JsonObject;
const duration = { type: 'string', pattern: '^P[0-9YMWDTHS.,]+$', description: 'An ISO-8601 duration such as PT5M.' };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const seenSchemas = Object.fromEntries(
  seenFields.map((field) => [field, { description: `Expected ${field}, in part.` }]),
);
const callsSchema = {
  type: 'array',
  items: { oneOf: [{ type: 'string' }, ref('expectedCall')] },
  description: 'The calls of all handlers.',
};

const sharedSchemas = {
  config: { type: 'object', description: 'Configuration of the handlers’ journeys, by the journey’s name.' },
  environment: textOf('platform.environment; test by default.'),
  now: {
    type: 'string',
    format: 'date-time',
    description: 'Start of the scenario; "2026-01-01T00:00:00Z" by default.',
  },
  seed: wholeOf('Seed of uuid() and random(); 1 by default.', 0),
  backend: { type: 'array', items: ref('rule'), description: 'Replies of services.' },
};

/** The JSON Schema of files with scenarios of a pipeline, as published. */
export const pipelineScenarioSchema: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Journeyman scenarios of a pipeline',
  ...shape(
    'Scenarios of one pipeline: actions and expected results.',
    {
      pipeline: textOf('Path of the pipeline, relative to this file; by default the file of the same name.'),
      given: shape(
        'Fields shared by all scenarios of this file; a scenario’s own fields take precedence.',
        sharedSchemas,
      ),
      scenarios: { type: 'object', minProperties: 1, additionalProperties: ref('scenario') },
    },
    ['scenarios'],
  ),
  $defs: {
    rule: rule!,
    reply: reply!,
    expectedCall: expectedCall!,
    scenario: shape('One scenario.', {
      description: textOf('A description for readers.'),
      ...sharedSchemas,
      virtualOnly: { type: 'boolean', description: 'Skip it with --temporal.' },
      do: { type: 'array', items: ref('happening'), description: 'Actions, in order.' },
      expect: shape('Expected state at the end.', { ...seenSchemas, calls: callsSchema, callsInAnyOrder: callsSchema }),
    }),
    happening: shape('An action, or only an expectation.', {
      publish: shape(
        'Publish an event.',
        { topic: textOf('Topic.'), id: textOf('Id of the event.'), payload: { description: 'Payload of the event.' } },
        ['topic'],
      ),
      advance: { ...duration, description: 'Advance time: producers run when they are due, sleeps end.' },
      trigger: textOf('Trigger this producer or consumer.'),
      pause: { const: true, description: 'Pause the pipeline.' },
      resume: { const: true, description: 'Resume the pipeline.' },
      resolve: shape(
        'Resolve the oldest suspended run of a handler.',
        { handler: textOf('Producer or consumer.'), how: wordOf('Resolution.', 'retry', 'did_not_happen', 'skip') },
        ['handler', 'how'],
      ),
      code: textOf('Expected answer to the action: accepted, duplicate, TOPIC_FULL …'),
      expect: shape('Expected state after the action.', seenSchemas),
    }),
  },
};
