import type { Json, JsonObject } from '../json/value.js';

/** A JSON Schema of an object with named properties. */
export interface ObjectSchema extends JsonObject {
  properties: JsonObject;
}

/** An object schema that takes exactly the given properties. */
export function shape<P extends Record<string, Json>>(description: string, properties: P, required: string[] = []) {
  return {
    description,
    type: 'object' as const,
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** An object schema that knows some properties and leaves others alone; the validator warns about those. */
export function open<P extends Record<string, Json>>(description: string, properties: P, required: string[] = []) {
  return { description, type: 'object' as const, properties, ...(required.length > 0 ? { required } : {}) };
}

/** A map from ids of the author's choice to one kind of thing. */
export function mapOf(description: string, item: Json): JsonObject {
  return { description, type: 'object', additionalProperties: item };
}

/** A reference to a shared part of the schema. */
export function part(name: string, description?: string): JsonObject {
  return { $ref: `#/$defs/${name}`, ...(description === undefined ? {} : { description }) };
}

/** A text, and what it means. */
export function textOf(description: string): JsonObject {
  return { type: 'string', minLength: 1, description };
}

/** The one value that a field can have, and what it means. */
export function fixed(value: string, description: string): JsonObject {
  return { const: value, description };
}

/** A list, what it holds, and what it means. */
export function listOf(description: string, items: Json, rest: JsonObject = {}): JsonObject {
  return { description, type: 'array', items, ...rest };
}

/** One of a few words. */
export function wordOf(description: string, ...words: string[]): JsonObject {
  return { enum: words, description };
}

/** A whole number from `minimum`. */
export function wholeOf(description: string, minimum = 1): JsonObject {
  return { type: 'integer', minimum, description };
}

/** A text, or a mapper that computes one. */
export function textOrMapper(description: string): JsonObject {
  return { description, oneOf: [{ type: 'string' }, part('mapperHolder')] };
}

/** Properties of a block that holds `mapper` or `mapperRef`. */
export const mapperFields = {
  mapper: { $ref: '#/$defs/expression', description: 'The expression that computes the value.' },
  mapperRef: {
    type: 'string',
    minLength: 1,
    description: 'The id of an expression under spec.mappers.',
    examples: ['summary'],
  },
};

const sum = { lang: 'dataweave', expr: 'sum(context.lines map ((line) -> line.price))' };
const large = { lang: 'dataweave', expr: 'context.total > 500' };

/** The shared parts every other schema refers to. */
export const parts = {
  expression: {
    ...shape(
      'An expression and its language.',
      {
        lang: {
          enum: ['dataweave', 'jsonata'],
          description: 'The expression language; there is no default.',
        },
        expr: textOf('The expression.'),
      },
      ['lang', 'expr'],
    ),
    examples: [sum, { lang: 'jsonata', expr: '$sum(context.lines.price)' }],
  },
  mapperHolder: {
    ...shape('A mapper, inline or by name.', mapperFields),
    oneOf: [{ required: ['mapper'] }, { required: ['mapperRef'] }],
    examples: [{ mapper: sum }, { mapperRef: 'summary' }],
  },
  predicate: {
    examples: [large, { mapperRef: 'isLarge' }],
    description: 'An expression that gives true or false: inline, or (an extension) by name.',
    oneOf: [
      { $ref: '#/$defs/expression' },
      shape('A predicate by name; an extension, refused by --strict.', { mapperRef: mapperFields.mapperRef }, [
        'mapperRef',
      ]),
    ],
  },
  identifier: {
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
    description: 'The name of a context variable.',
    examples: ['answer'],
  },
  stateId: {
    type: 'string',
    minLength: 1,
    description: 'The id of a state in the same graph.',
    examples: ['decide'],
  },
  jsonSchema: {
    type: ['object', 'boolean'],
    description: 'A JSON Schema (2020-12), written inline.',
    examples: [{ type: 'object', required: ['orderId'], properties: { orderId: { type: 'string' } } }],
  },
  texts: {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    description: 'Names to texts; ${context.<path>} in a text is replaced.',
    examples: [{ orderId: '${context.orderId}' }],
  },
  target: {
    ...shape('Where the result goes.', {
      kind: {
        ...wordOf(
          'context (default): an object at path, or the whole context without path. var: any value in resultVar. attributes: the run’s attributes.',
          'context',
          'var',
          'attributes',
        ),
        default: 'context',
      },
      path: { type: 'string', description: 'A dot path into the context.' },
    }),
    examples: [{ kind: 'var' }, { kind: 'context', path: 'order.summary' }],
  },
  projection: {
    ...shape('Fields of a context variable shown at the top level of the response.', {
      outputVar: part('identifier', 'The context variable that holds the fields, as an object.'),
      schema: part('jsonSchema', 'Describes these fields for readers and tools.'),
    }),
    examples: [{ outputVar: 'summary', schema: { type: 'object', properties: { total: { type: 'number' } } } }],
  },
} satisfies Record<string, Json>;
