import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { documentsOf, fragmentOf } from '../../../../src/console/playground/share-link-and-drafts.js';

const packed = (text: string) => `d1.${deflateRawSync(text).toString('base64url')}`;

describe('the fragment of a link', () => {
  it('contains both documents, with any text', async () => {
    const documents = {
      journey: 'name: "é ☃ \u{1f600} </script><img src=x onerror=alert(1)>"\n'.repeat(50),
      scenario: '',
    };
    const fragment = await fragmentOf(documents);
    expect(fragment).toMatch(/^d1\.[\w-]+$/);
    expect(fragment!.length).toBeLessThan(400);
    expect(await documentsOf(fragment!)).toEqual(documents);
  });

  it('is rejected if it would be too long', async () => {
    const noise = Array.from({ length: 100_000 }, (_, i) =>
      String.fromCharCode(33 + ((i * 7919 + (i >> 3) * 31) % 90)),
    );
    expect(await fragmentOf({ journey: 'x'.repeat(600_000), scenario: '' })).toBeUndefined();
    expect((await fragmentOf({ journey: noise.join(''), scenario: '' }))?.length ?? 0).toBeLessThanOrEqual(64_000);
  });

  it.each([
    ['no fragment', ''],
    ['another prefix', packed('["a", "b"]').replace('d1.', 'd2.')],
    ['not base64', 'd1.%%%'],
    ['not compressed', 'd1.AAAA'],
    ['not JSON', packed('{')],
    ['other JSON', packed('{"journey": "a"}')],
    ['other types', packed('["a", 5]')],
    ['not UTF-8', `d1.${deflateRawSync(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])).toString('base64url')}`],
    ['a bomb', packed(JSON.stringify(['x'.repeat(30_000_000), '']))],
  ])('is ignored if it is %s', async (_, fragment) => {
    expect(await documentsOf(fragment)).toBeUndefined();
  });
});
