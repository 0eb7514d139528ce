import { expect, it, vi } from 'vitest';
import { httpEffect } from '../../../../activities/http-call/http-effect.js';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import { refuse } from '../../../../src/base/problems/problem.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import type { EndedSpan } from '../../../../src/engine/trace-context-and-run-spans.js';
import { matchesFormat } from '../../../../src/json-schema/formats.js';
import { load } from '../../../../src/language/load-journey.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { readApiCatalogue } from '../../../../src/library/read-library.js';
import { InProcessApis } from '../../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../../support/api-request.js';

const { catalogue } = await readApiCatalogue({ root: new URL('../../../fixtures/', import.meta.url).pathname });

const api = (spec: string) => {
  const text = `
apiVersion: v1
kind: Api
metadata: { name: lookup, version: 1.0.0 }
spec:
${spec}`;
  const { definition, findings } = load({ text }, { catalogue });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
};

const lookup = `
  bindings:
    http:
      start: { headersPassthrough: [{ from: Authorization, to: Authorization }, { from: X-Tenant, to: X-Org }] }
      apiResponses:
        rules:
          - { when: { phase: FAILED, errorType: NOT_THERE }, status: 404 }
  start: ask
  states:
    ask: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://things.example.com/\${context.id}", headers: { X-Org: fixed }, resultVar: thing }, next: found }
    found:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.thing.ok" } }, next: done }]
      default: missing
    done: { type: succeed, outputVar: thing }
    missing: { type: fail, errorCode: NOT_THERE, reason: There is no such thing }
`;

function call(status: number, headers: Record<string, string>) {
  const seen: HttpRequest[] = [];
  const apis = new InProcessApis(loadConfig({ env: {} }), {
    http: httpEffect(
      Object.assign(
        async (request: HttpRequest) => {
          seen.push(request);
          return { ok: status < 300, status, headers: {}, body: { id: 7 } };
        },
        { close: async () => undefined },
      ),
    ),
  });
  const answer = apis.call(api(lookup), apiRequest({ id: 'lamp' }, headers));
  return { answer, seen };
}

it('an Api returns its output', async () => {
  const { answer, seen } = call(200, {});
  expect(await answer).toMatchObject({ status: 200, body: { ok: true, body: { id: 7 } } });
  expect(seen).toMatchObject([{ method: 'GET', url: 'https://things.example.com/lamp' }]);
});

it('JL-U4 a failing Api returns a problem with the status of its rules', async () => {
  const { answer } = call(500, {});
  expect(await answer).toMatchObject({
    status: 404,
    body: { code: 'NOT_THERE', title: 'There is no such thing', status: 404 },
  });
});

it('headersPassthrough adds headers to the calls of the request, overridden by the author’s own', async () => {
  const { answer, seen } = call(200, { authorization: 'Bearer abc', 'x-tenant': 'acme' });
  await answer;
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-org': 'fixed' });
});

const answered = (rule: string, body: object) => {
  const definition = api(`
  bindings: { http: { apiResponses: { rules: [${rule}] } } }
  start: pick
  states:
    pick:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.ok" } }, next: done }]
      default: missing
    done: { type: succeed, outputVar: found }
    missing: { type: fail, errorCode: NOT_THERE, reason: There is no such thing }
`);
  const apis = new InProcessApis(loadConfig({ env: {} }), {});
  return apis.call(definition, apiRequest(body as JsonObject));
};
it('a failure is a problem with the request as its instance and its code as its type; a success is not, whatever its status', async () => {
  const failed = await answered('{ when: { phase: FAILED }, status: 202 }', { ok: false });
  expect(failed.headers).toEqual({ 'content-type': 'application/problem+json' });
  expect(failed.body).toMatchObject({ type: 'NOT_THERE', instance: 'r', status: 202 });
  const succeeded = await answered('{ when: { phase: SUCCEEDED }, status: 404 }', { ok: true, found: 1 });
  expect(succeeded).toEqual({ status: 404, headers: {}, body: 1 });
});

it.each([
  ['OUT_OF_STOCK', 'OUT_OF_STOCK'],
  ['urn:shop:gone', 'urn:shop:gone'],
  ['https://shop.example/problems/gone?x=%20#top', 'https://shop.example/problems/gone?x=%20#top'],
  ['so so', 'so%20so'],
  ['1:a', '1%3Aa'],
  ['urn:100% [sure]', 'urn%3A100%25%20%5Bsure%5D'],
  ['größe#1#2', 'gr%C3%B6%C3%9Fe%231%232'],
])('the code %s is the type of a problem, which is always a URI reference', async (code, type) => {
  const odd = api(`  start: end\n  states: { end: { type: fail, errorCode: "${code}", reason: Never } }`);
  const { body } = await new InProcessApis(loadConfig({ env: {} }), {}).call(odd, apiRequest({}));
  expect(body).toMatchObject({ type, code });
  expect(matchesFormat('uri-reference', type)).toBe(true);
});

const expr = (text: string) => `{ lang: dataweave, expr: ${JSON.stringify(text)} }`;

it.each([
  ['the output', `{ when: { phase: SUCCEEDED, predicate: ${expr('output.n == 1')} }, status: 201 }`, true, 201],
  ['the output as payload', `{ when: { phase: SUCCEEDED }, statusExpr: ${expr('200 + payload.n')} }`, true, 201],
  [
    'the problem',
    `{ when: { phase: FAILED, predicate: ${expr('error.code == "NOT_THERE"')} }, status: 404 }`,
    false,
    404,
  ],
  [
    'the problem in payload (D16)',
    `{ when: { phase: FAILED }, statusExpr: ${expr('payload.error.status - 90')} }`,
    false,
    410,
  ],
  [
    'the type of the problem',
    `{ when: { phase: FAILED, predicate: ${expr('error."type" == "NOT_THERE"')} }, status: 404 }`,
    false,
    404,
  ],
])('apiResponses sees %s', async (_, rule, ok, status) => {
  expect(await answered(rule, { ok, found: { n: 1 } })).toMatchObject({ status });
});

it.each([
  [
    'a predicate',
    `{ when: { phase: FAILED, predicate: ${expr('context.n > 1')} }, status: 404 }`,
    'urn:journeyforge:error:internal',
  ],
  ['a status', `{ when: { phase: FAILED }, statusExpr: ${expr('context.n + 1')} }`, 'urn:journeyforge:error:internal'],
  ['a status that is not final in HTTP', '{ when: { phase: FAILED }, status: 103 }', 'APIRESP_STATUS'],
  ['an invalid status', `{ when: { phase: FAILED }, statusExpr: ${expr('"soon"')} }`, 'APIRESP_STATUS'],
])('%s that cannot be computed is an internal error, not the caller’s', async (_, rule, code) => {
  expect(await answered(rule, { ok: false })).toMatchObject({ status: 500, body: { status: 500, code } });
});

it('JL 1.12 spans contain codes of the document, never computed ones', async () => {
  const codes: (string | undefined)[] = [];
  const unused = () => {
    throw new Error('nothing arrives, and nothing is called');
  };
  const tracer = { arrived: unused, calls: unused, ended: ({ code }: EndedSpan) => void codes.push(code) };
  const apis = new InProcessApis(loadConfig({ env: {} }), {}, { tracer });
  const failing = (errorCode: string) =>
    api(`
  start: sub
  subjourneys:
    inner: { start: stop, states: { stop: { type: fail, errorCode: ${errorCode}, reason: It stops } } }
  states:
    sub: { type: subjourney, subjourney: { ref: inner, input: { mapper: { lang: dataweave, expr: context } } }, next: end }
    end: { type: succeed }
`);
  const computed = '{ mapper: { lang: dataweave, expr: context.secret } }';
  await apis.call(failing(computed), apiRequest({ secret: 'hunter2' }));
  await apis.call(failing('WRITTEN'), apiRequest({}));
  expect(codes).toEqual(['COMPUTED', 'COMPUTED', 'WRITTEN', 'WRITTEN']);
});

it.each([
  ['a response', () => ({ ok: true, status: 200, headers: {}, body: 'late' })],
  ['a refusal', () => refuse('KAFKA_PUBLISH_FAILED', 'It did not work.')],
])('%s after the deadline is too late, even if it arrives before the deadline’s timer', async (_, end) => {
  vi.useFakeTimers();
  try {
    const slow = api(`
  execution: { maxDurationSec: 1, onTimeout: { errorCode: OVER, reason: Its time is over } }
  start: ask
  states:
    ask: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://things.example.com/", resultVar: thing }, next: done }
    done: { type: succeed }
`);
    const http = async () => {
      vi.setSystemTime(Date.now() + 1_001);
      return end();
    };
    const answer = new InProcessApis(loadConfig({ env: {} }), { http }).call(slow, apiRequest({}));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ status: 504, body: { code: 'OVER' } });
  } finally {
    vi.useRealTimers();
  }
});

it('a call with an empty path parameter is rejected, because it would address the whole collection', async () => {
  const called: string[] = [];
  const http = async (request: Json) => {
    called.push((request as unknown as HttpRequest).url);
    return { ok: true, status: 200, headers: {}, body: null };
  };
  const apis = new InProcessApis(loadConfig({ env: {} }), { http });
  const fetching = api(`
  apis: { orchard: { openApiRef: apis/orchard.openapi.yaml } }
  start: ask
  states:
    ask: { type: task, task: { kind: "httpCall:v1", operationRef: orchard.getTree, params: { path: { treeId: "\${context.id}" } }, resultVar: tree }, next: done }
    done: { type: succeed }
`);
  expect(await apis.call(fetching, apiRequest({ id: '' }))).toMatchObject({
    status: 500,
    body: { code: 'HTTP_PATH_EMPTY' },
  });
  expect(called).toEqual([]);
  expect(await apis.call(fetching, apiRequest({ id: ' ' }))).toMatchObject({ status: 200 });
  expect(called).toEqual([expect.stringMatching(/trees\/%20$/)]);
});
