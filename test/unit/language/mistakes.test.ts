import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { good, mistakes } from './mistakes.js';

describe('findings for a new author', () => {
  it('are empty for a valid document', () => {
    expect(load({ text: good }).findings).toEqual([]);
  });

  it.each(mistakes)('about %s', (_, instead, written, expected) => {
    expect(good).toContain(instead);
    const { findings } = load({ text: good.replace(instead, () => written) });
    const lines = findings.map(({ line, column, severity, code, message, hint }) => {
      return `${line}:${column} ${severity} ${code} ${message}${hint ? ` (${hint})` : ''}`;
    });
    expect(lines).toEqual(expected);
  });
});
