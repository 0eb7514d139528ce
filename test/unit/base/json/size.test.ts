import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/size.js';
import type { Json } from '../../../../src/base/json/value.js';

it('bytes are counted as UTF-8 has them', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(jsonBytes(value as Json)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});
