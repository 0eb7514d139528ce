import type { Json } from './value.js';

/**
 * The most bytes of one value that is handed to a Temporal server, which takes no payload of more than 2 MiB. What stands around a
 * value in its message needs a little room too.
 */
export const payloadBytes = 1_900_000;

/** How many bytes a value takes as JSON in UTF-8. */
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
