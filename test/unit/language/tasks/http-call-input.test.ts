import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import {
  type HttpRequest,
  httpInputOf,
  httpRequestOf,
} from '../../../../src/language/tasks/http-call/request-and-result-types.js';

const usual: HttpRequest = {
  method: 'POST',
  url: 'https://pay.example.com/charges',
  headers: { accept: 'application/json' },
  timeoutMs: 10_000,
  mode: 'requestResponse',
};

describe('NEW-27 the input of a call in the history', () => {
  it('leaves out the usual headers, timeout and mode', () => {
    expect(httpInputOf(usual)).toEqual({ method: 'POST', url: usual.url });
    const unusual = { ...usual, headers: { accept: 'text/csv' }, timeoutMs: 2_000, mode: 'notify' as const };
    expect(httpInputOf(unusual)).toEqual(unusual);
  });

  it.each<[string, Partial<HttpRequest>, Json?]>([
    ['without a body', {}],
    [
      'with an object',
      { headers: { accept: 'application/json', 'content-type': 'application/json' } },
      { n: [1, 'x'] },
    ],
    ['with null', { headers: { accept: 'application/json', 'content-type': 'application/json' } }, null],
    ['with another JSON type', { headers: { accept: '*/*', 'content-type': 'application/hal+json' } }, { n: 1 }],
    ['with a text', { headers: { accept: 'application/json', 'content-type': 'text/plain' } }, 'a text'],
    ['with a text as JSON', { headers: { accept: 'application/json', 'content-type': 'application/json' } }, '"a"'],
    ['with a text and no type', {}, '{"n":1}'],
    ['with its own key', { headers: { accept: 'application/json', 'idempotency-key': 'k' }, timeoutMs: 1 }],
  ])('is restored to a request %s', (_, parts, body) => {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const request = { ...usual, ...parts };
    const restored = httpRequestOf(JSON.parse(JSON.stringify(httpInputOf(request, body))) as Json);
    expect(restored).toEqual({ ...request, ...(text !== undefined && { body: text }) });
  });

  it('contains headers of the current request, overridden by its own', () => {
    const input = httpInputOf({ ...usual, headers: { ...usual.headers, 'x-tenant': 'own' } });
    const { headers } = httpRequestOf(input, { accept: 'text/html', 'x-tenant': 'theirs', 'x-user': 'ada' });
    expect(headers).toEqual({ accept: 'application/json', 'x-tenant': 'own', 'x-user': 'ada' });
  });
});
