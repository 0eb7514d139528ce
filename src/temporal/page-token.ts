import { createHash } from 'node:crypto';
import { canonical } from '../json/value.js';
import { refuse } from '../problems/problem.js';

const checkBytes = 6;

/**
 * The server's token for the next page, in the form a caller may hold; nothing after the last page. It carries a check over itself and the
 * filter, because the server answers a foreign token with an error of its own, after many attempts.
 */
export function nextPage(token: Uint8Array | null | undefined, filter: string): { nextPageToken?: string } {
  if (!token || token.length === 0) return {};
  return { nextPageToken: Buffer.concat([check(token, filter), token]).toString('base64url') };
}

/** The server's token that a caller brought back; refuses one that was made up, or that belongs to a list with another filter. */
export function pageToken(given: string | undefined, filter: string): Uint8Array {
  if (given === undefined) return new Uint8Array();
  const bytes = Buffer.from(given, 'base64url');
  const token = bytes.subarray(checkBytes);
  if (token.length > 0 && check(token, filter).equals(bytes.subarray(0, checkBytes))) return token;
  return refuse('QUERY_INVALID', 'The query parameter "pageToken" does not belong to this list.', {
    parameter: 'pageToken',
    hint: 'Use the nextPageToken of the page before, with the same filters; begin without one.',
  });
}

function check(token: Uint8Array, filter: string): Buffer {
  const text = canonical([filter, Buffer.from(token).toString('base64')]);
  return createHash('sha256').update(text).digest().subarray(0, checkBytes);
}
