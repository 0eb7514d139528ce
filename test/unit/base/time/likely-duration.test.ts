import { expect, it } from 'vitest';
import { likelyDuration, parseDuration } from '../../../../src/base/time/duration.js';

it.each([
  ['3d', 'P3D'],
  ['5m', 'PT5M'],
  ['10 minutes', 'PT10M'],
  ['2 months', 'P2M'],
  ['PT3D', 'P3D'],
  ['P4H', 'PT4H'],
  ['monthly', 'P1M'],
])('%s probably means %s', (text, meant) => {
  expect(parseDuration(text)).toBeUndefined();
  expect(likelyDuration(text)).toBe(meant);
  expect(parseDuration(meant)).toBeDefined();
});

it.each(['5M', 'soon', 'PD3', '', '3 moons', '1.5h'])('%j is ambiguous', (text) => {
  expect(likelyDuration(text)).toBeUndefined();
});
