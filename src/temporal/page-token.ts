import { createHash } from 'node:crypto';
import { canonical } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';

const checkBytes = 6;

/**
 * The server's token of the next page as given to callers; undefined after the last page. It contains a checksum over itself and the filter,
 * because the server reports a foreign token only after many retries.
 */
export function nextPage(token: Uint8Array | null | undefined, filter: string): { nextPageToken?: string } {
  if (!token || token.length === 0) return {};
  return { nextPageToken: Buffer.concat([check(token, filter), token]).toString('base64url') };
}

/** The server's token from a caller; rejects one that is invalid or belongs to another filter. */
export function pageToken(given: string | undefined, filter: string): Uint8Array {
  if (given === undefined) return new Uint8Array();
  const bytes = Buffer.from(given, 'base64url');
  const token = bytes.subarray(checkBytes);
  if (token.length > 0 && check(token, filter).equals(bytes.subarray(0, checkBytes))) return token;
  return refuse('QUERY_INVALID', 'The query parameter "pageToken" does not belong to this list.', {
    parameter: 'pageToken',
    hint: 'Use the nextPageToken of the previous page with the same filters; start without one.',
  });
}

function check(token: Uint8Array, filter: string): Buffer {
  const text = canonical([filter, Buffer.from(token).toString('base64')]);
  return createHash('sha256').update(text).digest().subarray(0, checkBytes);
}
