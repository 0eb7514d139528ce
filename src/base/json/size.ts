import type { Json } from './value.js';

/**
 * The largest value sent to a Temporal server, in bytes. The server rejects payloads over 2 MiB, and the message around a value
 * needs some of that.
 */
export const maxPayloadBytes = 1_900_000;

/** The size of a value as JSON in UTF-8, in bytes. */
export function jsonBytes(value: Json): number {
  const text = JSON.stringify(value);
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate is half of a four-byte character.
    if (unit > 0x7f) bytes += unit <= 0x7ff || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
