import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { copy, type Json } from '../../src/json/value.js';
import { CallFailure } from './failure.js';

/** JSON nested deeper than this stays text: nothing downstream has to survive it. */
const maxDepth = 200;

/** How many layers of compression are undone. */
const maxEncodings = 3;

const unzip = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: async (bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> =>
    // Servers disagree on what deflate means; a zlib header tells which.
    ((bytes[0] as number) & 0x0f) === 8 ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options),
};

/** Reads a response to its end. The connection, whose limit is the same, is closed as soon as there is more. */
export async function readBytes(
  body: Dispatcher.ResponseData['body'],
  announced: number,
  limit: number,
): Promise<Buffer> {
  if (announced > limit) {
    body.on('error', () => {}).destroy();
    throw tooLarge(limit);
  }
  try {
    return Buffer.from(await body.arrayBuffer());
  } catch (error) {
    throw (error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? tooLarge(limit) : error;
  }
}

/** What a journey sees of a body: JSON where the content type says so and it parses, else text; null when there is none. */
export function decodeBody(bytes: Buffer, contentType = ''): Json {
  if (bytes.length === 0) return null;
  const [media = ''] = contentType.split(';');
  if (!/^(application|text)\/json$|\+json$/i.test(media.trim())) return decodeText(bytes, contentType);
  const text = new TextDecoder().decode(bytes);
  try {
    const value = JSON.parse(text) as Json;
    return nestedBeyond(value, maxDepth) ? text : copy(value);
  } catch {
    return text;
  }
}

/** Undoes the layers of compression that the content encoding names. */
export async function decompress(raw: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (raw.length === 0 || layers.length === 0) return raw;
  if (layers.length > maxEncodings || !layers.every((layer) => Object.hasOwn(unzip, layer))) {
    throw new CallFailure('NETWORK', 'the response is compressed in an unknown way', 'CONTENT_ENCODING', true);
  }
  let bytes = raw;
  for (const layer of layers.reverse()) {
    if (bytes.length === 0) break;
    bytes = await unzip[layer as keyof typeof unzip](bytes, { maxOutputLength: limit }).catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
      throw new CallFailure('NETWORK', 'the response cannot be decompressed', 'CONTENT_ENCODING');
    });
  }
  return bytes;
}

function decodeText(bytes: Buffer, contentType: string): string {
  const [, quoted, plain] = /;\s*charset=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(quoted ?? plain ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function nestedBeyond(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestedBeyond(inner, levels - 1));
}

/** The failure of a call whose answer has more bytes than `limit`. */
export function tooLarge(limit: number): CallFailure {
  return new CallFailure('NETWORK', `the response is larger than ${limit} bytes`, 'RESPONSE_TOO_LARGE', true);
}
