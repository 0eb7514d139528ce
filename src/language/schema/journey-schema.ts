import { fixed, open, part, parts, textOf, wordOf } from '../../base/document/schema-builders.js';
import { versionPattern } from '../../base/json/semver.js';
import { canonical, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import type { DocumentVocabulary } from '../read/document-reading-state.js';
import { documentVocabulary } from '../state-types-and-task-kinds.js';
import { stateTypes } from '../states/registry.js';
import { blockExamples } from './block-examples.js';
import { blockSchemas } from './block-schemas.js';

/** The number of examples shown for a field, unless more are written for it. */
const fieldExamples = 3;

/** Parts that are not given examples here, because their alternatives have their own. */
const shownApart = ['states', 'state', 'task'].map((name) => `#/$defs/${name}`);

/** Selects a schema by the value of one property or by fields that imply it, so that editors report errors of that alternative only. */
function choose(
  property: string,
  description: string,
  readers: ReadonlyMap<string, { impliedBy?: readonly string[] }>,
  schemaOf: (name: string) => Json,
): JsonObject {
  const all = [...readers];
  const anyOf = (fields: readonly string[]) => fields.map((field) => ({ required: [field] }));
  return {
    type: 'object',
    anyOf: anyOf([property, ...all.flatMap(([, { impliedBy = [] }]) => impliedBy)]),
    description,
    properties: { [property]: { enum: all.map(([name]) => name), description } },
    allOf: all.map(([name, { impliedBy = [] }]) => ({
      if: {
        properties: { [property]: { const: name } },
        ...(impliedBy.length > 0 ? { anyOf: anyOf([property, ...impliedBy]) } : { required: [property] }),
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: schemaOf(name),
    })),
  };
}

/** The parts of the schema that describe states, with these task kinds. */
const stateParts = (kinds: DocumentVocabulary['tasks']): Record<string, JsonObject> => ({
  states: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { $ref: '#/$defs/state' },
    description: 'States by id.',
  },
  state: choose('type', 'What the state does.', stateTypes, (type) => ({ $ref: `#/$defs/state.${type}` })),
  task: choose('kind', 'The kind of task, and what it needs.', kinds, (kind) => ({ $ref: `#/$defs/task.${kind}` })),
  ...Object.fromEntries([...stateTypes].map(([type, { schema }]) => [`state.${type}`, schema])),
  ...Object.fromEntries([...kinds].map(([kind, { schema }]) => [`task.${kind}`, schema])),
});

/** The JSON Schema of a journey document with these task kinds, for completion and validation in editors. */
export const journeySchemaWith = (kinds: DocumentVocabulary['tasks']): Json => showFields(written(kinds));

const written = (kinds: DocumentVocabulary['tasks']): JsonObject => ({
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

/** The published JSON Schema, without plugins. */
export const journeySchema: Json = journeySchemaWith(documentVocabulary.tasks);

/** Copies the examples of an object to its fields: editors show only the examples of the field being edited. */
function showFields(schema: JsonObject, given: readonly Json[] = []): JsonObject {
  const own = listed(schema.examples);
  const examples = distinct([...own, ...given]);
  const shows = examples.length > 0 && !isNamed(schema);
  return {
    ...schema,
    ...(shows && { examples: examples.slice(0, Math.max(fieldExamples, own.length)) }),
    ...each(schema, 'properties', (field, name) => showFields(field, valuesOf(examples, name))),
    ...each(schema, '$defs', (it) => showFields(it)),
    ...(isObject(schema.items) && { items: showFields(schema.items, examples.flatMap(listed)) }),
    ...(isObject(schema.additionalProperties) && {
      additionalProperties: showFields(
        schema.additionalProperties,
        examples.filter(isObject).flatMap((it) => Object.values(it) as Json[]),
      ),
    }),
    ...(Array.isArray(schema.oneOf) && {
      oneOf: schema.oneOf.map((it) =>
        isObject(it) && it.additionalProperties === false ? fieldsOnly(it, examples) : it,
      ),
    }),
  };
}

/** Adds examples to the fields of an alternative; the examples of the whole object are shown on its parent. */
function fieldsOnly(schema: JsonObject, examples: readonly Json[]): JsonObject {
  return { ...schema, ...each(schema, 'properties', (field, name) => showFields(field, valuesOf(examples, name))) };
}

function each(schema: JsonObject, key: string, change: (it: JsonObject, name: string) => Json): JsonObject {
  const inside = schema[key];
  if (!isObject(inside)) return {};
  return {
    [key]: Object.fromEntries(
      Object.entries(inside).map(([name, it]) => [name, isObject(it) ? change(it, name) : (it as Json)]),
    ),
  };
}

function valuesOf(examples: readonly Json[], name: string): Json[] {
  return examples.filter(isObject).flatMap((it) => (Object.hasOwn(it, name) ? [it[name]!] : []));
}

/** Whether a schema needs no examples: it lists its values itself, or its parts have their own examples. */
function isNamed({ $ref, const: only, enum: words, type }: JsonObject): boolean {
  return only !== undefined || words !== undefined || type === 'boolean' || shownApart.includes($ref as string);
}

function listed(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function distinct(values: readonly Json[]): Json[] {
  return [...new Map(values.map((it) => [canonical(it), it])).values()];
}
