import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { type Encode, interpolate } from '../../../../src/engine/evaluate-expressions.js';
import type { TaskEffect, TaskHost } from '../../../../src/engine/task-host.js';
import { load } from '../../../../src/language/load-journey.js';
import { executeHttpCall as runner } from '../../../../src/language/tasks/http-call/execute-http-call.js';
import type { HttpCallTask } from '../../../../src/language/tasks/http-call/http-call.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { call, doc } from '../cases/case.js';

/** The URL to which a call by this URL is sent. */
function sentTo(url: string, context: Json): string {
  const task = {
    method: 'GET',
    url,
    path: {},
    query: {},
    headers: {},
    accept: '*/*',
    timeoutMs: 1_000,
    mode: 'notify',
  };
  const host = {
    interpolate: (text: string, encode?: Encode) =>
      interpolate(text, { context, platform: null, item: null, index: null }, encode),
    callMode: () => undefined,
  } as unknown as TaskHost;
  if (!('buildRequest' in runner)) throw new Error('a call has an effect');
  const { input } = runner.buildRequest(task as unknown as HttpCallTask, host) as TaskEffect;
  return (input as unknown as HttpRequest).url;
}

const hostile = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.stringMatching(/^[./\\?#&=%+:@;\s\t\n{}$a-f0-9]{1,12}$/),
  fc.constantFrom(
    '..',
    '../../admin',
    '..\\..',
    '%2e%2e',
    'a?b=1',
    'a&admin=true',
    'a#b',
    '//evil.test',
    '\t..',
    '@evil',
  ),
);

it('GAP-22 values cannot leave their path segment or query value', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (a, b, c) => {
      const url = sentTo('https://shop.test/x/${context.a}/y-${context.b}?q=${context.c}&z=1', { a, b, c });
      const parts = /^https:\/\/shop\.test\/x\/([^/\\?#&\s]+)\/y-([^/\\?#&\s]+)\?q=([^&#\s]+)&z=1$/.exec(url);
      expect(parts?.slice(1).map(decodeURIComponent)).toEqual([a, b, c]);
      // The effect rejects a path with dot segments.
      if (/^\.{1,2}$/.test(a)) return;
      const sent = new URL(url);
      expect(sent.host).toBe('shop.test');
      expect(sent.pathname.split('/')).toHaveLength(4);
      expect([...sent.searchParams]).toEqual([
        ['q', c],
        ['z', '1'],
      ]);
    }),
    { numRuns: 2_000 },
  );
});

it('GAP-22 values in the host cannot lead to another host', () => {
  fc.assert(
    fc.property(hostile, (a) => {
      let url: string;
      try {
        url = sentTo('https://${context.a}.shop.test/x', { a });
      } catch (error) {
        expect(error).toMatchObject({ problem: { code: 'HTTP_URL' } });
        return;
      }
      if (URL.canParse(url))
        expect(new URL(url)).toMatchObject({ pathname: '/x', host: expect.stringMatching(/\.shop\.test$/) });
    }),
    { numRuns: 2_000 },
  );
});

it('GAP-22 a placeholder for the whole URL, or at its start, is not encoded', () => {
  const context = {
    url: 'https://a.test/x?y=1&z=a%20b',
    base: 'https://a.test/v1',
    id: 'a/b c',
    host: 'eu.shop.test:8080',
  };
  expect(sentTo('${context.url}', context)).toBe(context.url);
  expect(sentTo('${context.base}/orders/${context.id}', context)).toBe('https://a.test/v1/orders/a%2Fb%20c');
  expect(sentTo('${context.base}${context.id}', context)).toBe('https://a.test/v1a%2Fb%20c');
  expect(sentTo('https://${context.host}/x', context)).toBe('https://eu.shop.test:8080/x');
});

it('GAP-22 an empty path segment is rejected, an empty query value is not', () => {
  expect(() => sentTo('https://shop.test/orders/${context.id}', { id: '' })).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'HTTP_PATH_EMPTY' }) }),
  );
  expect(sentTo('https://shop.test/orders-${context.id}?after=${context.id}', { id: '' })).toBe(
    'https://shop.test/orders-?after=',
  );
});

it('GAP-22 params.query on a call by URL has no finding, and is an extension', () => {
  const text = doc({ states: call('resultVar: r\nparams: { query: { cups: 2 } }') });
  expect(load({ text }).findings).toEqual([]);
  expect(load({ text }, { compat: false }).findings.map(({ code }) => code)).toContain('HTTP_EXTENSION');
});
