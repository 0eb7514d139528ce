import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFault } from '../../../src/base/json/find-json-syntax-error.js';
import { ProblemError } from '../../../src/base/problems/problem.js';
import { parseJson } from '../../../src/gateway/request-body.js';

const json = fc.jsonValue({ maxDepth: 6 });

it('any JSON is returned as it was sent, without prototypes', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      const parsed = parseJson(text);
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
        expect(Object.getPrototypeOf(parsed)).toBeNull();
      }
    }),
  );
});

it('a truncated document is reported at its end or at the cut token', () => {
  fc.assert(
    fc.property(json, fc.nat(), (value, at) => {
      const whole = JSON.stringify({ value });
      const text = whole.slice(0, at % whole.length);
      const { offset } = jsonFault(text);
      expect(whole.slice(offset).length).toBeGreaterThan(0);
      // The text before the fault is a prefix of valid JSON, the text after it at most one token.
      expect(text.slice(offset)).toMatch(/^(".*|[-+.\w]*)$/s);
    }),
  );
});

it('noise never hangs or crashes the parser', () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'u00', '1', '-', 'e', 'true', ' ', '\n'))
      .map((it) => it.join('')),
  );
  fc.assert(
    fc.property(noise, (text) => {
      try {
        parseJson(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
      }
      const { offset, line, column } = jsonFault(text);
      expect(offset).toBeLessThanOrEqual(text.length);
      expect(text.split('\n')[line - 1]?.length).toBeGreaterThanOrEqual(column - 1);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['', 1, 1, 'a value'],
  ['{"a" 1}', 1, 6, '":"'],
  ['{a: 1}', 1, 2, 'a property name in double quotes'],
  ['[1 2]', 1, 4, '"," or "]"'],
  ['{"a": 1 "b"', 1, 9, '"," or "}"'],
  ['{} x', 1, 4, 'nothing more'],
  ['[\n  01\n]', 2, 4, '"," or "]"'],
  ['["\\x"]', 1, 2, 'a value'],
  ["{'a': 1}", 1, 2, 'a property name in double quotes'],
  ['[1,]', 1, 4, 'a value'],
  ['NaN', 1, 1, 'a value'],
])('%j is faulty at %i:%i', (text, line, column, expected) => {
  expect(jsonFault(text)).toMatchObject({ line, column, expected });
});
