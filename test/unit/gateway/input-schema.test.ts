import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { InputSchemas } from '../../../src/gateway/input-schema.js';
import { copy, type Json } from '../../../src/json/value.js';
import { ProblemError } from '../../../src/problems/problem.js';

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

// The same suite proves the validator of the run, so that a start and a step read a schema alike.
describe.each(readdirSync(cases))('the shared cases of %s', (file) => {
  test.each(read(new URL(file, cases)))('$name', ({ schema, accepts: good = [], rejects: bad = [] }) => {
    expect(good.filter((value) => !accepts(schema, value))).toEqual([]);
    expect(bad.filter((value) => accepts(schema, value))).toEqual([]);
  });
});

test('a schema is compiled once per definition, and again for another', () => {
  const schemas = new InputSchemas();
  schemas.check({}, { required: [] }, 'a');
  expect(() => schemas.check({}, { required: ['x'] }, 'a')).not.toThrow();
  expect(() => schemas.check({}, { required: ['x'] }, 'b')).toThrow(ProblemError);
});

test('the oldest of many compiled schemas is forgotten', () => {
  const schemas = new InputSchemas();
  schemas.check({}, true, 'first');
  for (let i = 0; i < 500; i++) schemas.check({}, true, `h${i}`);
  expect(() => schemas.check({}, false, 'first')).toThrow(ProblemError);
});

test.each<[string, Json]>([
  ['$async', { $async: true, required: ['x'] }],
  ['an $id that another schema has', { $id: 'https://example.com/same', required: ['x'] }],
])('%s changes nothing', (_, schema) => {
  expect(accepts(schema, {})).toBe(false);
  expect(accepts(schema, { x: 1 })).toBe(true);
});

test('a body that costs exponentially many steps is given up, not waited for', () => {
  const either = (rest: Json) => ({ type: 'object', required: ['in'], properties: { in: { $ref: '#' }, rest } });
  const schema: Json = { anyOf: [either(true), either(false), either({ const: 1 }), { type: 'number' }] };
  const nested = (depth: number): Json => (depth === 0 ? 'neither' : { in: nested(depth - 1) });
  expect(accepts(schema, nested(60))).toBe(false);
});

test('an array with many objects is checked for duplicates without comparing each with each', () => {
  const many: Json = Array.from({ length: 50_000 }, (_, n) => ({ n }));
  expect(accepts({ uniqueItems: true }, many)).toBe(true);
});
