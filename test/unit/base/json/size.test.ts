import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/size.js';
import type { Json } from '../../../../src/base/json/value.js';

it('counts bytes as UTF-8', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(jsonBytes(value as Json)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});
