import type { Json, JsonObject } from '../json/value.js';

/** A JSON Schema of an object with named properties. */
export interface ObjectSchema extends JsonObject {
  properties: JsonObject;
}

/** An object schema that accepts exactly the given properties. */
export function shape<P extends Record<string, Json>>(description: string, properties: P, required: string[] = []) {
  return {
    description,
    type: 'object' as const,
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** An object schema that accepts unknown properties; the validator warns about them. */
export function open<P extends Record<string, Json>>(description: string, properties: P, required: string[] = []) {
  return { description, type: 'object' as const, properties, ...(required.length > 0 ? { required } : {}) };
}

/** A map from ids that the author chooses to values of one schema. */
export function mapOf(description: string, item: Json): JsonObject {
  return { description, type: 'object', additionalProperties: item };
}

/** A reference to a shared part of the schema. */
export function part(name: string, description?: string): JsonObject {
  return { $ref: `#/$defs/${name}`, ...(description === undefined ? {} : { description }) };
}

/** A text with a description. */
export function textOf(description: string): JsonObject {
  return { type: 'string', minLength: 1, description };
}

/** A constant with a description. */
export function fixed(value: string, description: string): JsonObject {
  return { const: value, description };
}

/** A list of items with a description. */
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

const lang = {
  enum: ['dataweave', 'jsonata'],
  description:
    'The expression language. An extension, refused by --strict: it may be left out, and is that of spec.defaults, else dataweave.',
};

/** Properties of a block that holds a mapper: `mapper`, `mapperRef`, or the expression itself. */
export const mapperFields = {
  mapper: { $ref: '#/$defs/expression', description: 'The expression that computes the value.' },
  mapperRef: {
    type: 'string',
    minLength: 1,
    description: 'The id of an expression under spec.mappers.',
    examples: ['summary'],
  },
  expr: {
    ...textOf('The expression itself, without mapper around it; an extension, refused by --strict.'),
    examples: ['sum(context.lines map ((line) -> line.price))'],
  },
  lang: { ...lang, description: 'The language of expr.' },
};

/** The ways in which a block may hold its mapper, for `oneOf`. */
export const mapperForms = [
  { required: ['mapper'], not: { required: ['lang'] } },
  { required: ['mapperRef'], not: { required: ['lang'] } },
  { required: ['expr'] },
];

/** Properties of a block that holds a condition: `predicate`, or the predicate itself. */
export const conditionFields = {
  predicate: { $ref: '#/$defs/predicate' },
  mapperRef: { ...mapperFields.mapperRef, description: 'A predicate by name; an extension, refused by --strict.' },
  expr: {
    ...textOf('The predicate itself; an extension, refused by --strict.'),
    examples: ['context.total > 500'],
  },
  lang: mapperFields.lang,
};

const sum = { lang: 'dataweave', expr: 'sum(context.lines map ((line) -> line.price))' };
const large = { lang: 'dataweave', expr: 'context.total > 500' };

/** The shared definitions that all other schemas refer to. */
export const parts = {
  expression: {
    description: 'An expression and its language. As an extension, a text is an expression in the default language.',
    oneOf: [
      { type: 'string', minLength: 1 },
      shape('An expression and its language.', { lang, expr: textOf('The expression.') }, ['expr']),
    ],
    examples: [sum.expr, sum, { lang: 'jsonata', expr: '$sum(context.lines.price)' }],
  },
  mapperHolder: {
    ...shape('A mapper: inline or by name.', mapperFields),
    oneOf: mapperForms,
    examples: [{ expr: sum.expr }, { mapper: sum }, { mapperRef: 'summary' }],
  },
  condition: {
    description: 'A condition. As an extension, a text is the expression.',
    oneOf: [
      { type: 'string', minLength: 1 },
      {
        ...shape('A condition.', conditionFields),
        oneOf: [{ required: ['predicate'] }, { required: ['mapperRef'] }, { required: ['expr'] }],
      },
    ],
    examples: [large.expr, { predicate: large }],
  },
  predicate: {
    examples: [large.expr, large, { mapperRef: 'isLarge' }],
    description: 'An expression that returns true or false: inline, or (an extension) by name.',
    oneOf: [
      { $ref: '#/$defs/expression' },
      shape('A predicate by name; an extension, rejected by --strict.', { mapperRef: mapperFields.mapperRef }, [
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
    description: 'Map of names to texts. ${context.<path>} placeholders are replaced.',
    examples: [{ orderId: '${context.orderId}' }],
  },
  target: {
    ...shape('Target of the result.', {
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
