import { describe, expect, it } from 'vitest';
import { copy, emptyObject, type Json } from '../../../src/base/json/value.js';
import { compilePattern } from '../../../src/json-schema/linear-pattern.js';
import { validate } from '../../../src/json-schema/validate.js';
import { ajvErrors } from './ajv.js';

describe('an error', () => {
  const order: Json = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', pattern: '^o-' },
      'a/b': { $ref: '#/$defs/amount' },
      lines: { items: { properties: { qty: { minimum: 1 } } } },
    },
    additionalProperties: false,
    $defs: { amount: { type: 'number' } },
  };

  it.each([
    [{}, '', 'required', '/required'],
    [{ id: 1 }, '/id', 'type', '/properties/id/type'],
    [{ id: 'x' }, '/id', 'pattern', '/properties/id/pattern'],
    [{ id: 'o-1', 'a/b': 'x' }, '/a~1b', 'type', '/properties/a~1b/$ref/type'],
    [
      { id: 'o-1', lines: [{ qty: 1 }, { qty: 0 }] },
      '/lines/1/qty',
      'minimum',
      '/properties/lines/items/properties/qty/minimum',
    ],
    [{ id: 'o-1', other: 1 }, '', 'additionalProperties', '/additionalProperties'],
  ])('of %j', (value, pointer, keyword, schemaPointer) => {
    expect(validate(order, value as Json)).toMatchObject([{ pointer, keyword, schemaPointer }]);
  });

  it('has the pointer and message of ajv, for every violation', () => {
    const value = { id: 3, 'a/b': 'x', lines: [{ qty: 0 }], more: 1 };
    const sorted = (errors: { pointer: string; message: string }[]) =>
      errors.map(({ pointer, message }) => `${pointer} ${message}`).sort();
    expect(validate(order, value)).toHaveLength(4);
    expect(sorted(validate(order, value))).toEqual(sorted(ajvErrors(order, value)));
  });

  it('of failed alternatives lists the errors of each', () => {
    const errors = validate({ anyOf: [{ type: 'string' }, { required: ['a'] }] }, {});
    expect(errors.map((it) => it.keyword)).toEqual(['type', 'required', 'anyOf']);
  });

  it('does not list alternatives that failed if another one matched', () => {
    expect(validate({ anyOf: [{ type: 'string' }, { type: 'object' }] }, {})).toEqual([]);
    expect(validate({ oneOf: [true, { type: 'object' }, false] }, {}).map((it) => it.keyword)).toEqual(['oneOf']);
  });
});

describe('bounds', () => {
  it('limit the number of errors', () => {
    const value = Array.from({ length: 1000 }, () => 'x');
    expect(validate({ items: { type: 'number' } }, value)).toHaveLength(50);
    expect(validate({ items: { type: 'number' } }, value, { errors: 3 })).toHaveLength(3);
  });

  it.each<[string, Json, Json]>([
    ['a reference to itself', { $ref: '#' }, 1],
    ['circular references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, {}],
    ['a dynamic reference to itself', { $dynamicAnchor: 'x', $dynamicRef: '#x' }, null],
    ['a deeply nested value', { properties: { a: { $ref: '#' } } }, nested(100_000)],
    ['a deeply nested value in a comparison', { const: 1 }, nested(100_000)],
    ['exponentially many alternatives', doubling(40), 1],
    ['a long text with a pattern', { pattern: `^(${'a?'.repeat(200)})+$` }, 'a'.repeat(2_000_000)],
  ])('are exceeded by %s, without an exception', (_, schema, value) => {
    expect(validate(schema, value).at(-1)).toMatchObject({ keyword: 'limit' });
  });

  it('a broken reference rejects every value', () => {
    expect(validate({ $ref: '#/$defs/none' }, 1)).toMatchObject([{ keyword: '$ref', pointer: '' }]);
    expect(validate({ $ref: 'https://elsewhere.test/schema' }, 1)).toMatchObject([{ keyword: '$ref' }]);
    expect(validate({ $ref: '#/toString' }, 1)).toMatchObject([{ keyword: '$ref' }]);
  });

  it('a pattern without a linear equivalent rejects every value, and fails to compile', () => {
    expect(validate({ pattern: '(?=a)a' }, 'a')).toMatchObject([{ keyword: 'pattern' }]);
    expect(() => compilePattern('(?=a)a')).toThrow(SyntaxError);
    expect(() => compilePattern('(a)\\1')).toThrow(SyntaxError);
  });
});

describe('values', () => {
  it('may be objects without a prototype, with keys named like its members', () => {
    const value = copy(JSON.parse('{"__proto__":1,"hasOwnProperty":"x"}') as Json);
    expect(validate({ required: ['__proto__', 'hasOwnProperty'], maxProperties: 2 }, value)).toEqual([]);
    expect(validate({ const: { a: 1 } }, Object.assign(emptyObject(), { a: 1 }))).toEqual([]);
  });

  it('are checked against formats unless formats only annotate', () => {
    expect(validate({ format: 'date' }, 'x')).toHaveLength(1);
    expect(validate({ format: 'date' }, 'x', { assertFormats: false })).toEqual([]);
  });
});

function nested(depth: number): Json {
  let value: Json = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

function doubling(levels: number): Json {
  const $defs: Record<string, Json> = { d0: { type: 'string' } };
  for (let i = 1; i <= levels; i++)
    $defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  return { $ref: `#/$defs/d${levels}`, $defs };
}
