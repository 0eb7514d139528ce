import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairs, searchable, searched } from '../../../workflows/shared/run-search-attributes.js';

describe('values of search attributes', () => {
  it.each([
    ['ann', 'ann'],
    ["o'brien@example.com", "o'brien@example.com"],
    ['50% off, äöü 日本', '50% off, äöü 日本'],
    ['CORP\\ann', 'CORP%5Cann'],
    ['"ann"\n', '%22ann%22%0A'],
    ["'ann'", '%27ann%27'],
    ['a%5Cb', 'a%255Cb'],
  ])('%j', (text, keyword) => {
    expect(searchable(text)).toBe(keyword);
    expect(searched(keyword)).toBe(text);
  });

  it('can be read back and used in a query, with any text', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '%', '2', '5', 'C', "'", '"', '\\', '\n', 'é', '😀'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, (text) => {
        expect(searched(searchable(text))).toBe(text);
        expect(searchable(text)).not.toMatch(/["\\\n]|^'|'$/);
      }),
    );
  });

  it('are no longer than a Keyword, and a truncated one can be queried', () => {
    expect(searchable('😀'.repeat(300))).toBe('😀'.repeat(255));
    expect(searchable(`${'x'.repeat(254)}'y`)).toBe('x'.repeat(254));
  });

  it('contain as many tags as the server accepts', () => {
    const tags = Array.from({ length: 32 }, (_, i) => `key${i}=${'ü'.repeat(200)}`);
    const [pair] = pairs({ JourneyTags: ['vip', ...tags] });
    const value = pair!.value as string[];
    expect(value.slice(0, 2)).toEqual(['vip', tags[0]]);
    expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(2048);
  });
});
