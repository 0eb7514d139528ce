import { fixed, open, part, parts, textOf, wordOf } from '../../document/schema-parts.js';
import { versionPattern } from '../../json/semver.js';
import type { Json, JsonObject } from '../../json/value.js';
import type { Words } from '../../reading/reading.js';
import { words } from '../vocabulary.js';
import { blockExamples } from './block-examples.js';
import { blockSchemas } from './blocks.js';
import { showFields } from './show-fields.js';
import { stateParts } from './states.js';

/** The JSON Schema of a journey document with these task kinds: what editors complete and check with. */
export const journeySchemaWith = (kinds: Words['tasks']): Json => showFields(written(kinds));

const written = (kinds: Words['tasks']): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:journeyman:schema:journey:v1',
  title: 'Journey',
  ...open(
    'A journey (durable, with an id) or an Api (one request, one response).',
    {
      apiVersion: fixed('v1', 'The version of the language.'),
      kind: wordOf('A Journey is durable and has an id; an Api is one request, one response.', 'Journey', 'Api'),
      metadata: {
        ...open(
          'The identity of the document.',
          {
            name: {
              type: 'string',
              pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
              maxLength: 63,
              description: 'Lower case, digits and dashes; part of URLs.',
            },
            version: {
              type: 'string',
              pattern: versionPattern,
              description: 'A semantic version; of several, the highest is started.',
            },
            description: textOf('For people; nothing depends on it.'),
            tags: { type: 'array', items: textOf('A tag.'), maxItems: 10, description: 'Every run carries them.' },
          },
          ['name', 'version'],
        ),
        examples: [{ name: 'order-approval', version: '1.0.0', description: 'Approves an order.', tags: ['orders'] }],
      },
      spec: open(
        'What it does.',
        {
          start: part('stateId', 'The state at which a run starts.'),
          states: part('states'),
          ...Object.fromEntries(
            Object.entries(blockSchemas).map(([name, block]) => [name, { ...block, examples: blockExamples[name]! }]),
          ),
        },
        ['start', 'states'],
      ),
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  ),
  $defs: { ...parts, ...stateParts(kinds) },
});

/** The published one, without plugins. */
export const journeySchema: Json = journeySchemaWith(words.tasks);
