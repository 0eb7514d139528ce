import { expect, it } from 'vitest';
import { withTraceHeaders } from '../../../../activities/http-call/http-client.js';
import { OpenSpans, parseTraceContext } from '../../../../src/engine/trace-context-and-run-spans.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const to = { origin: 'https://orders.example.com', path: '/' };
const request = (more: Partial<HttpRequest>): HttpRequest => ({
  method: 'GET',
  url: 'https://orders.example.com/',
  headers: { accept: 'application/json' },
  timeoutMs: 1,
  mode: 'requestResponse',
  ...more,
});

it('TEL-1 the caller’s trace is forwarded if nothing is recorded, unless the journey sets its own', () => {
  const trace = { parent, state: 'vendor=1' };
  expect(withTraceHeaders(request({ trace }), to, undefined).request.headers).toEqual({
    accept: 'application/json',
    traceparent: parent,
    tracestate: 'vendor=1',
  });
  const own = { traceparent: '00-own' };
  expect(withTraceHeaders(request({ trace, headers: own }), to, undefined).request.headers).toEqual(own);
  expect(withTraceHeaders(request({}), to, undefined).request.headers).toEqual({ accept: 'application/json' });
});

it('TEL-1 an invalid traceparent is ignored', () => {
  expect(parseTraceContext({ traceparent: parent, tracestate: 'a=1' })).toEqual({ parent, state: 'a=1' });
  for (const traceparent of [
    '',
    'x',
    parent.replace('00-', 'ff-'),
    parent.replace(/4bf\w+/, '0'.repeat(32)),
    `${parent}-x`,
  ])
    expect(parseTraceContext({ traceparent }), traceparent).toBeUndefined();
});

it('TEL-1 a call belongs to the nearest enclosing subjourney', () => {
  const spans = new OpenSpans();
  const frame = (id: string) => ({ id, at: '', context: {}, entered: 0 });
  spans.begin(frame('a#1.sub'));
  expect(spans.around('a#1.sub/fork#2.left')).toBe('a#1.sub');
  expect(spans.around('fork#1.left')).toBe('');
  spans.end(frame('a#1.sub'));
  expect(spans.around('a#1.sub')).toBe('');
});
