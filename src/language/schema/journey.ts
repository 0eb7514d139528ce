import { open, part, parts, textOf } from '../../document/schema-parts.js';
import { versionPattern } from '../../json/semver.js';
import type { Json } from '../../json/value.js';
import type { Words } from '../../reading/reading.js';
import { words } from '../vocabulary.js';
import { blockSchemas } from './blocks.js';
import { stateParts } from './states.js';

/** The JSON Schema of a journey document with these task kinds: what editors complete and check with. */
export const journeySchemaWith = (kinds: Words['tasks']): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:journeyman:schema:journey:v1',
  title: 'Journey',
  ...open(
    'A journey (durable, with an id) or an Api (one request, one response).',
    {
      apiVersion: { const: 'v1' },
      kind: { enum: ['Journey', 'Api'] },
      metadata: open(
        'The identity of the document.',
        {
          name: {
            type: 'string',
            pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
            maxLength: 63,
            description: 'Used in URLs.',
          },
          version: { type: 'string', pattern: versionPattern, description: 'A semantic version.' },
          description: textOf('For people; nothing depends on it.'),
          tags: { type: 'array', items: textOf('A tag.'), maxItems: 10, description: 'Every run carries them.' },
        },
        ['name', 'version'],
      ),
      spec: open('What it does.', { start: part('stateId'), states: { $ref: '#/$defs/states' }, ...blockSchemas }, [
        'start',
        'states',
      ]),
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  ),
  $defs: { ...parts, ...stateParts(kinds) },
});

/** The published one, without plugins. */
export const journeySchema: Json = journeySchemaWith(words.tasks);
