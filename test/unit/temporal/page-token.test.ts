import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../../../src/base/problems/problem.js';
import { nextPage, pageToken } from '../../../src/temporal/page-token.js';

const server = Buffer.from('{"StartTime":"2030-01-01T00:00:00Z"}');
const code = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as ProblemError).problem.code;
  }
  return undefined;
};

describe('page tokens', () => {
  it('are those of the server after decoding', () => {
    const { nextPageToken } = nextPage(server, 'a');
    expect(nextPageToken).toMatch(/^[\w-]+$/);
    expect(Buffer.from(pageToken(nextPageToken, 'a'))).toEqual(server);
    expect(pageToken(undefined, 'a')).toHaveLength(0);
    expect(nextPage(undefined, 'a')).toEqual({});
    expect(nextPage(new Uint8Array(), 'a')).toEqual({});
  });

  it.each([
    ['made up', 'abc', 'a'],
    ['not base64url', 'a b/%', 'a'],
    ['empty', '', 'a'],
    ['of another filter', nextPage(server, 'b').nextPageToken!, 'a'],
    ['the server’s own', server.toString('base64url'), 'a'],
  ])('are rejected before the server is called: %s', (_, token, filter) => {
    expect(code(() => pageToken(token, filter))).toBe('QUERY_INVALID');
  });
});
