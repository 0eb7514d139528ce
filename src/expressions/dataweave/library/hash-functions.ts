import { hmac } from '@noble/hashes/hmac';
import { md5, sha1 } from '@noble/hashes/legacy';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2';
import type { CHash } from '@noble/hashes/utils';
import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { toHex } from '../runtime/text-encodings.js';
import { BinaryValue, T } from '../runtime/values.js';

/** Fuel per hashed byte. Hashes are computed in plain JavaScript. */
const costOfByte = 4;

/** Digests by name, upper case without dashes. */
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
  if (!digest) throw new Fault('DW_FUNCTION_ERROR', 'Unknown algorithm');
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

/** Functions of dw::Crypto. Only hashing is supported. */
export const cryptoFunctions: readonly FunctionDefinition[] = [
  ['MD5', overload([T.Binary], (ev: Evaluation, it: BinaryValue) => toHex(hashed(ev, it, 'MD5').bytes))],
  ['SHA1', overload([T.Binary], (ev: Evaluation, it: BinaryValue) => toHex(hashed(ev, it, 'SHA-1').bytes))],
  ['hashWith', overload([T.Binary, T.String], hashed, 1)],
  ['HMACBinary', overload([T.Binary, T.Binary, T.String], keyed, 2)],
  [
    'HMACWith',
    overload(
      [T.Binary, T.Binary, T.String],
      (ev: Evaluation, secret: BinaryValue, content: BinaryValue, algorithm?: string) =>
        toHex(keyed(ev, secret, content, algorithm).bytes),
      2,
    ),
  ],
];
