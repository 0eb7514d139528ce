import { hmac } from '@noble/hashes/hmac';
import { md5, sha1 } from '@noble/hashes/legacy';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2';
import type { CHash } from '@noble/hashes/utils';
import { type Definition, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { BinaryValue, T } from '../runtime/values.js';
import { hexText } from './urls.js';

/** Hashes are computed here, in plain code: what one byte costs, in steps of an expression. */
const costOfByte = 4;

/** The digests by their names without dashes, in capitals. */
const digests: ReadonlyMap<string, CHash> = new Map([
  ['MD5', md5],
  ['SHA1', sha1],
  ['SHA224', sha224],
  ['SHA256', sha256],
  ['SHA384', sha384],
  ['SHA512', sha512],
]);

function digestNamed(name: string): CHash {
  const digest = digests.get(name.toUpperCase().replaceAll('-', ''));
  if (!digest) throw new Fault('DW_FUNCTION_ERROR', 'The algorithm is not known');
  return digest;
}

function hashed(ev: Evaluation, content: BinaryValue, algorithm = 'SHA-1'): BinaryValue {
  ev.charge(500 + content.bytes.length * costOfByte);
  return new BinaryValue(digestNamed(algorithm)(content.bytes));
}

function keyed(ev: Evaluation, secret: BinaryValue, content: BinaryValue, algorithm = 'HmacSHA1'): BinaryValue {
  ev.charge(1000 + (secret.bytes.length + content.bytes.length) * costOfByte);
  if (secret.bytes.length === 0) throw new Fault('DW_FUNCTION_ERROR', 'The secret is empty');
  const digest = digestNamed(/^Hmac(.+)$/i.exec(algorithm)?.[1] ?? '');
  return new BinaryValue(hmac(digest, secret.bytes, content.bytes));
}

/** dw::Crypto, which only hashes. */
export const cryptoFunctions: readonly Definition[] = [
  ['MD5', overload([T.Binary], (ev: Evaluation, it: BinaryValue) => hexText(hashed(ev, it, 'MD5').bytes))],
  ['SHA1', overload([T.Binary], (ev: Evaluation, it: BinaryValue) => hexText(hashed(ev, it, 'SHA-1').bytes))],
  ['hashWith', overload([T.Binary, T.String], hashed, 1)],
  ['HMACBinary', overload([T.Binary, T.Binary, T.String], keyed, 2)],
  [
    'HMACWith',
    overload(
      [T.Binary, T.Binary, T.String],
      (ev: Evaluation, secret: BinaryValue, content: BinaryValue, algorithm?: string) =>
        hexText(keyed(ev, secret, content, algorithm).bytes),
      2,
    ),
  ],
];
