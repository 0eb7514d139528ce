import { shape, textOf, wholeOf, wordOf } from '../../base/document/schema-builders.js';
import { type Json, type JsonObject, own } from '../../base/json/value.js';
import { scenarioSchema } from '../read/scenario-schema.js';
import { seenFields } from './read-pipeline-scenarios.js';

const { rule, reply, expectedCall } = own(scenarioSchema, '$defs') as JsonObject;
const duration = { type: 'string', pattern: '^P[0-9YMWDTHS.,]+$', description: 'An ISO-8601 duration such as PT5M.' };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const seen = Object.fromEntries(seenFields.map((field) => [field, { description: `Expected ${field}, in part.` }]));
const calls = {
  type: 'array',
  items: { oneOf: [{ type: 'string' }, ref('expectedCall')] },
  description: 'The calls of all handlers.',
};

const shared = {
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
      given: shape('Fields shared by all scenarios of this file; a scenario’s own fields take precedence.', shared),
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
      ...shared,
      virtualOnly: { type: 'boolean', description: 'Skip it with --temporal.' },
      do: { type: 'array', items: ref('happening'), description: 'Actions, in order.' },
      expect: shape('Expected state at the end.', { ...seen, calls, callsInAnyOrder: calls }),
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
      expect: shape('Expected state after the action.', seen),
    }),
  },
};
