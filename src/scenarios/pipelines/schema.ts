import { shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';
import { type Json, type JsonObject, own } from '../../json/value.js';
import { scenarioSchema } from '../schema.js';
import { seenFields } from './read.js';

const { rule, reply, expectedCall } = own(scenarioSchema, '$defs') as JsonObject;
const duration = { type: 'string', pattern: '^P[0-9YMWDTHS.,]+$', description: 'An ISO-8601 duration such as PT5M.' };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const seen = Object.fromEntries(
  seenFields.map((field) => [field, { description: `What is seen of ${field}, in part.` }]),
);
const calls = {
  type: 'array',
  items: { oneOf: [{ type: 'string' }, ref('expectedCall')] },
  description: 'The calls of all handlers.',
};

const shared = {
  config: { type: 'object', description: 'Configuration of the handlers’ journeys, by the journey’s name.' },
  environment: textOf('platform.environment; test when left out.'),
  now: {
    type: 'string',
    format: 'date-time',
    description: 'When the scenario starts; "2026-01-01T00:00:00Z" when left out.',
  },
  seed: wholeOf('What uuid() and random() are derived from; 1 when left out.', 0),
  backend: { type: 'array', items: ref('rule'), description: 'What services answer.' },
};

/** The JSON Schema of files with scenarios of a pipeline, as published. */
export const pipelineScenarioSchema: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Journeyman scenarios of a pipeline',
  ...shape(
    'Scenarios of one pipeline: what happens to it, and what must come of it.',
    {
      pipeline: textOf('The pipeline, relative to this file; the file of the same name when left out.'),
      given: shape('What all scenarios of this file share; a scenario’s own fields win.', shared),
      scenarios: { type: 'object', minProperties: 1, additionalProperties: ref('scenario') },
    },
    ['scenarios'],
  ),
  $defs: {
    rule: rule!,
    reply: reply!,
    expectedCall: expectedCall!,
    scenario: shape('One scenario.', {
      description: textOf('For people.'),
      ...shared,
      virtualOnly: { type: 'boolean', description: 'Leave it out with --temporal.' },
      do: { type: 'array', items: ref('happening'), description: 'What happens, one thing after the other.' },
      expect: shape('What must be seen in the end.', { ...seen, calls, callsInAnyOrder: calls }),
    }),
    happening: shape('One thing that happens, or a look at the pipeline.', {
      publish: shape(
        'An event from outside.',
        { topic: textOf('Where to.'), id: textOf('Its id.'), payload: { description: 'What it says.' } },
        ['topic'],
      ),
      advance: { ...duration, description: 'Time passes; producers run at their times, sleeps end.' },
      trigger: textOf('A producer or consumer that somebody triggers.'),
      pause: { const: true, description: 'Somebody pauses the pipeline.' },
      resume: { const: true, description: 'Somebody lets it go on.' },
      resolve: shape(
        'Somebody decides about the oldest suspended run of a handler.',
        { handler: textOf('Whose run.'), how: wordOf('What to do.', 'retry', 'did_not_happen', 'skip') },
        ['handler', 'how'],
      ),
      code: textOf('What the action must be answered with: accepted, duplicate, TOPIC_FULL …'),
      expect: shape('What must be seen after it.', seen),
    }),
  },
};
