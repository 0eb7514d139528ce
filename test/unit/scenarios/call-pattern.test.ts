import { expect, it } from 'vitest';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';

it.each([
  ['GET https://a.test/x', 'GET https://a.test/x', true],
  ['GET https://a.test/x', 'GET https://a.test/x/', true],
  ['GET https://a.test', 'GET https://a.test/', true],
  ['GET https://A.test/x', 'GET https://a.TEST/x', true],
  ['GET https://a.test/x', 'POST https://a.test/x', false],
  ['ANY https://a.test/x', 'DELETE https://a.test/x', true],
  ['GET https://a.test/x', 'GET https://a.test:8080/x', false],
  ['GET https://a.test/x', 'GET https://a.test/x?q=1', true],
  ['GET https://a.test/x?q=1&p=2', 'GET https://a.test/x?p=2&q=1', true],
  ['GET https://a.test/x?q=1', 'GET https://a.test/x?q=2', false],
  ['GET https://a.test/x?', 'GET https://a.test/x?q=2', false],
  ['GET https://a.test/*', 'GET https://a.test/x', true],
  ['GET https://a.test/*', 'GET https://a.test/x/y', false],
  ['GET https://a.test/*/y', 'GET https://a.test/x/y', true],
  ['GET https://a.test/{id}/y', 'GET https://a.test/x%2Fz/y', true],
  ['GET https://a.test/o-*', 'GET https://a.test/o-17', true],
  ['GET https://a.test/o-*-x', 'GET https://a.test/o-x', false],
  ['GET https://a.test/**', 'GET https://a.test/x/y/z', true],
  ['GET https://a.test/**', 'GET https://a.test/', true],
  ['GET https://a.test/**/z', 'GET https://a.test/x/y/z', true],
  ['GET https://a.test/**/z', 'GET https://a.test/x/y', false],
  ['GET https://a.test/.*', 'GET https://a.test/xyz', false],
  ['GET https://a.test/no%201/x', 'GET https://a.test/no 1/x#here', true],
  ['GET https://a.test/küche?ort=köln', 'GET https://a.test/k%C3%BCche?ort=k%C3%B6ln', true],
])('%s and %s: %s', (pattern, call, expected) => {
  const [, method, url] = /^(\S+) (.*)$/.exec(call) as unknown as [string, string, string];
  expect(CallPattern.parse(pattern)!.matches({ method, url })).toBe(expected);
});

it.each([
  'https://a.test',
  'get https://a.test',
  'GET a.test',
  'GET /x',
  'GET https://a.test/ x',
  'FETCH https://a.test',
])('%s is not a valid pattern', (text) => {
  expect(CallPattern.parse(text)).toBeUndefined();
});

it('matches an operation', () => {
  const pattern = CallPattern.operation('crm.find');
  expect(pattern.matches({ method: 'GET', url: 'https://x.test', operation: 'crm.find' })).toBe(true);
  expect(pattern.matches({ method: 'GET', url: 'https://x.test' })).toBe(false);
});
