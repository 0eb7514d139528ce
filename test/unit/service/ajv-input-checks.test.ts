import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { copy, type Json } from '../../../src/base/json/value.js';
import { ProblemError } from '../../../src/base/problems/problem.js';
import { InputSchemas } from '../../../src/service/ajv-input-checks.js';

interface Case {
  name: string;
  schema: Json;
  accepts?: Json[];
  rejects?: Json[];
}

const cases = new URL('../json-schema/cases/', import.meta.url);
const read = (url: URL) => JSON.parse(readFileSync(url, 'utf8')) as Case[];

function accepts(schema: Json, value: Json): boolean {
  try {
    new InputSchemas().check(copy(value), schema, 'h');
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'INPUT_INVALID') return false;
    throw error;
  }
}

// The run's validator passes the same suite, so a start and a step interpret a schema in the same way.
describe.each(readdirSync(cases))('the shared cases of %s', (file) => {
  it.each(read(new URL(file, cases)))('$name', ({ schema, accepts: good = [], rejects: bad = [] }) => {
    expect(good.filter((value) => !accepts(schema, value))).toEqual([]);
    expect(bad.filter((value) => accepts(schema, value))).toEqual([]);
  });
});

it('a schema is compiled once per definition', () => {
  const schemas = new InputSchemas();
  schemas.check({}, { required: [] }, 'a');
  expect(() => schemas.check({}, { required: ['x'] }, 'a')).not.toThrow();
  expect(() => schemas.check({}, { required: ['x'] }, 'b')).toThrow(ProblemError);
});

it('the oldest compiled schema is evicted', () => {
  const schemas = new InputSchemas();
  schemas.check({}, true, 'first');
  for (let i = 0; i < 500; i++) schemas.check({}, true, `h${i}`);
  expect(() => schemas.check({}, false, 'first')).toThrow(ProblemError);
});

it.each<[string, Json]>([
  ['$async', { $async: true, required: ['x'] }],
  ['nullable', { properties: { x: { type: 'number', nullable: true } }, nullable: true, required: ['x'] }],
  ['$recursiveRef', { $recursiveRef: '#', required: ['x'] }],
  ['an id of an older draft', { id: 'a', properties: { x: { id: 'b' }, id: true }, required: ['x'] }],
  ['dependencies of an older draft', { dependencies: { x: ['y'] }, required: ['x'] }],
  ['one anchor twice', { properties: { x: { $anchor: 'a' }, y: { $anchor: 'a' } }, required: ['x'] }],
  ['an $id that another schema has', { $id: 'https://example.com/same', required: ['x'] }],
])('%s does not modify it', (_, schema) => {
  expect(accepts(schema, {})).toBe(false);
  expect(accepts(schema, { x: 1 })).toBe(true);
  if (JSON.stringify(schema).includes('nullable')) expect(accepts(schema, { x: null })).toBe(false);
});

it('the validation of an exponentially expensive body is bounded', () => {
  const either = (rest: Json) => ({ type: 'object', required: ['in'], properties: { in: { $ref: '#' }, rest } });
  const schema: Json = { anyOf: [either(true), either(false), either({ const: 1 }), { type: 'number' }] };
  const nested = (depth: number): Json => (depth === 0 ? 'neither' : { in: nested(depth - 1) });
  expect(accepts(schema, nested(60))).toBe(false);
});

it('an array with many objects is checked for duplicates without comparing all pairs', () => {
  const many: Json = Array.from({ length: 50_000 }, (_, n) => ({ n }));
  expect(accepts({ uniqueItems: true }, many)).toBe(true);
});

describe('messages of violations', () => {
  const messagesOf = (schema: Json, value: Json): string[] => {
    try {
      new InputSchemas().check(copy(value), schema, 'h');
    } catch (error) {
      const { errors = [] } = (error as ProblemError).problem;
      return errors.map(({ pointer, message }) => `${pointer} ${message}`).sort();
    }
    return [];
  };

  // A reference makes the gateway use the validator of steps.
  it.each<[string, Json, Json, string[]]>([
    ['required', { required: ['a/b'] }, {}, ['/a~1b is required']],
    ['surplus', { additionalProperties: false }, { x: 1 }, ['/x is not a known property']],
    ['unevaluated', { unevaluatedProperties: false }, { x: 1 }, ['/x is not a known property']],
    ['const', { properties: { x: { const: 'a' } } }, { x: 1 }, ['/x must be "a"']],
    ['enum', { properties: { x: { enum: [1, 'b'] } } }, { x: 2 }, ['/x must be one of 1, "b"']],
    ['format', { properties: { x: { format: 'date' } } }, { x: 'now' }, ['/x must match format "date"']],
    ['uniqueItems', { properties: { x: { uniqueItems: true } } }, { x: [1, 1] }, ['/x must not contain an item twice']],
    ['false', { properties: { x: false } }, { x: 1 }, ['/x is not allowed here']],
    ['type', { properties: { x: { type: 'string' } } }, { x: 1 }, ['/x must be string']],
    ['bound', { properties: { x: { minimum: 3 } } }, { x: 1 }, ['/x must be >= 3']],
  ])('%s: equal in both validators', (_, schema, value, expected) => {
    expect(messagesOf(schema, value)).toEqual(expected);
    expect(messagesOf({ ...(schema as object), $defs: { a: { $ref: '#/$defs/b' }, b: true } }, value)).toEqual(
      expected,
    );
  });
});
