import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { validate } from '../../../src/json-schema/validate.js';
import { ajvErrors } from './ajv.js';

const names = fc.constantFrom('a', 'b', 'ab', 'toString');
const scalars = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 2.5, -1, '', 'a', 'ab', 'b1', '2024-02-30');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
}));

const count = fc.integer({ min: 0, max: 2 });
const types = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');
const patterns = fc.constantFrom('^a', 'b$', '\\d', '.');
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const sub = tie('schema');
  const subs = fc.array(sub, { minLength: 1, maxLength: 2 });
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
    minimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: count,
    maxLength: count,
    pattern: patterns,
    format: fc.constantFrom('date', 'email', 'nonsense'),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    prefixItems: subs,
    items: sub,
    contains: sub,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: fc.uniqueArray(names, { maxLength: 2 }),
    properties: fc.dictionary(names, sub, { maxKeys: 2 }),
    patternProperties: fc.dictionary(patterns, sub, { maxKeys: 2 }),
    additionalProperties: sub,
    propertyNames: sub,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: fc.dictionary(names, sub, { maxKeys: 2 }),
    allOf: subs,
    anyOf: subs,
    oneOf: subs,
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    then: sub,
    else: sub,
    $ref: fc.constant('#/$defs/shared'),
  };
  const entries = Object.entries(keywords).map(([name, arbitrary]) =>
    (arbitrary as fc.Arbitrary<Json>).map((it): [string, Json] => [name, it]),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc.array(fc.oneof(...entries), { maxLength: 4 }).map((it) => Object.fromEntries(it) as Json),
    ),
  };
});

/** A document whose `$ref`s refer to one shared schema without `$ref`s, so that references are not circular. */
const documents = fc
  .record({ main: schema, shared: schema })
  .map(({ main, shared }) => ({ ...asObject(main), $defs: { shared: withoutRefs(asObject(shared)) } }) as Json)
  .map((it) => JSON.parse(JSON.stringify(it)) as Json);

function asObject(it: Json): Record<string, Json> {
  return typeof it === 'boolean' ? { allOf: [it] } : (it as Record<string, Json>);
}

function withoutRefs(it: Json): Json {
  if (Array.isArray(it)) return it.map(withoutRefs);
  if (typeof it !== 'object' || it === null) return it;
  return Object.fromEntries(Object.entries(it).flatMap(([k, v]) => (k === '$ref' ? [] : [[k, withoutRefs(v)]])));
}

it('random schemas accept and reject the same values as in ajv', () => {
  fc.assert(
    fc.property(documents, fc.array(value, { minLength: 4, maxLength: 8 }), (document, values) => {
      for (const it of values) {
        const ours = validate(document, it);
        const theirs = attempt(document, it);
        if (!theirs) continue;
        expect(ours.length === 0, JSON.stringify({ it, ours, theirs })).toBe(theirs.length === 0);
      }
    }),
    { numRuns: 600 },
  );
});

/** The code that ajv generates throws a TypeError for some combinations of `patternProperties` with other applicators. */
function attempt(document: Json, it: Json): unknown[] | undefined {
  try {
    return ajvErrors(document, it);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
