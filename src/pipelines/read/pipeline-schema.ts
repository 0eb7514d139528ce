import { mapOf, open, part, parts, shape, textOf, wholeOf, wordOf } from '../../base/document/schema-builders.js';
import { versionPattern } from '../../base/json/semver.js';
import type { Json } from '../../base/json/value.js';

const name = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$' };
const topics = (description: string): Json => ({ type: 'array', items: name, uniqueItems: true, description });

const handler = {
  description: textOf('For people.'),
  journey: textOf('The name of the journey that does the work; it may not wait for input.'),
  input: {
    ...part('mapperHolder'),
    description: 'What the journey starts with. Without it: what the mapper would see.',
  },
  publishes: topics('Topics to which output.publish may publish.'),
  state: {
    description: 'What it carries from run to run, to begin with; output.state of a committed run replaces it.',
  },
};

/** The published JSON Schema of a pipeline document. */
export const pipelineSchema: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:journeyman:schema:pipeline:v1',
  title: 'Pipeline',
  ...shape(
    'Producers that publish events on a schedule, and consumers that work through them one run at a time. An extension, refused by --strict.',
    {
      apiVersion: { const: 'v1', description: 'The version of the language.' },
      kind: { const: 'Pipeline', description: 'What the document is.' },
      metadata: open(
        'The identity of the pipeline.',
        {
          name: {
            type: 'string',
            pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
            maxLength: 63,
            description: 'Its name: small letters, digits and hyphens.',
          },
          version: { type: 'string', pattern: versionPattern, description: 'A semantic version.' },
          description: textOf('For people.'),
          tags: { type: 'array', items: textOf('A tag.'), maxItems: 10, description: 'To find it by.' },
        },
        ['name', 'version'],
      ),
      spec: shape('What it does.', {
        topics: mapOf('Where events wait, by name.', {
          ...shape('A topic.', {
            description: textOf('For people.'),
            schema: { $ref: '#/$defs/jsonSchema', description: 'What a payload must match.' },
            correlate: shape(
              'Matches its events with those of other topics that have the same key.',
              { by: { $ref: '#/$defs/expression', description: 'Returns the key of an event; null matches nothing.' } },
              ['by'],
            ),
            source: shape(
              'A backlog outside the pipeline, from which workers take events while the topic has room.',
              {
                kafka: shape(
                  'A Kafka topic whose records are JSON.',
                  {
                    topic: { ...textOf('The topic.'), pattern: '^[A-Za-z0-9._-]{1,249}$' },
                    group: textOf('The consumer group, which no other reader of the topic may use.'),
                    connectionSecretRef: textOf('Which connection to use; the configured one when left out.'),
                  },
                  ['topic', 'group'],
                ),
              },
              ['kafka'],
            ),
          }),
          type: ['object', 'null'],
        }),
        producers: mapOf(
          'What runs on a schedule and publishes, by name.',
          shape(
            'A producer.',
            {
              schedule: {
                ...shape('When it runs.', {
                  interval: textOf('5m, 1h, 1d, or an ISO-8601 duration such as PT5M or P1M.'),
                  cron: textOf('Five fields: minute hour day-of-month month day-of-week.'),
                  zone: textOf('The IANA zone of a cron; UTC when left out.'),
                }),
                oneOf: [{ required: ['interval'] }, { required: ['cron'] }],
              },
              misfire: wordOf(
                'What becomes of a time that was missed during an outage; fire_once_on_recovery when left out.',
                'fire_once_on_recovery',
                'skip_missed',
              ),
              ...handler,
            },
            ['schedule', 'journey'],
          ),
        ),
        consumers: mapOf(
          'What works through events, by name.',
          shape(
            'A consumer.',
            {
              topics: { ...(topics('Topics it reads.') as object), minItems: 1 },
              prepare: {
                $ref: '#/$defs/expression',
                description: 'Chooses the events of the next run; without it, the oldest one.',
              },
              ...handler,
            },
            ['topics', 'journey'],
          ),
        ),
        policy: shape('What the host allows.', {
          producerBusy: wordOf('What becomes of a producer whose time comes while something runs.', 'skip', 'queue'),
          wakeHints: { type: 'boolean', description: 'Whether prepare may give wakeAt; false when left out.' },
          maxEventsPerTopic: { ...wholeOf('The most events that wait in a topic.'), maximum: 10_000 },
          maxPayloadBytes: { ...wholeOf('The largest payload, in bytes of JSON.'), maximum: 262_144 },
          window: { ...wholeOf('How many of the oldest events of a topic prepare sees.'), maximum: 10_000 },
          history: { ...wholeOf('How many ended runs are kept.'), maximum: 200 },
        }),
        mappers: mapOf('Expressions to refer to with mapperRef.', part('expression')),
        defaults: shape('Fallbacks for expressions.', {
          lang: wordOf('The language of expressions that name none; dataweave when left out.', 'dataweave', 'jsonata'),
        }),
      }),
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  ),
  $defs: {
    expression: parts.expression,
    mapperHolder: parts.mapperHolder,

    jsonSchema: parts.jsonSchema,
  },
};
