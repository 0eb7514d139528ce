import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../../src/config/config-types.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import type { GuardedRun } from '../../../../src/engine/evaluate-read-guard.js';
import { authEffects } from '../../../../src/gateway/auth/auth-task-effects.js';
import { load } from '../../../../src/language/load-journey.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { InProcessApis, InProcessGuards } from '../../../../src/service/in-process/apis-and-guards.js';
import type { InboundRequest } from '../../../../src/service/inbound-request.js';
import { apiRequest } from '../../../support/api-request.js';

const hash = `sha256:${createHash('sha256').update('sesame').digest('hex')}`;
const config: Config = {
  ...loadConfig({ env: {} }),
  plugins: {
    modules: [],
    jwtValidate: { profiles: {} },
    mtlsValidate: { profiles: {} },
    apiKeyValidate: {
      profiles: { default: { keys: [{ id: 'ali', hash }], source: { location: 'header', name: 'X-Key' } } },
    },
  },
};
const effects = authEffects(config);
const request = (key?: string): InboundRequest => ({
  headers: key === undefined ? {} : { 'x-key': key },
  query: new URLSearchParams(),
});

const document = (kind: string, spec: string) => {
  const text = `
apiVersion: v1
kind: ${kind}
metadata: { name: vault, version: 1.0.0 }
spec:
${spec}`;
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
};

const check = 'check: { type: task, task: { kind: "apiKeyValidate:v1" }, next: decide }';
const decide = (expr: string) =>
  `decide: { type: transform, transform: { mapper: { lang: dataweave, expr: '${expr}' }, target: { kind: var }, resultVar: verdict }, next: done }`;

/** A run of a journey with this guard, and a function that reads it. */
function guarded(states: string) {
  const definition = document(
    'Journey',
    `
  access: { read: { guardRef: mayRead } }
  subjourneys: { mayRead: { start: check, states: { ${states} } } }
  start: end
  states: { end: { type: succeed } }`,
  );
  const run: GuardedRun = {
    definition,
    info: { id: 'r', startedAt: 0, environment: 'test', config: {} },
    context: { owner: 'ali' },
    tags: [],
    attributes: {},
  };
  const reports: string[] = [];
  const guards = new InProcessGuards(config, effects, (text) => reports.push(text));
  const read = (key?: string) =>
    guards.admit(run, request(key)).then(
      () => 'admitted',
      (error) => error.problem,
    );
  return { read, reports, run };
}

const notThere = { code: 'RUN_UNKNOWN', status: 404 };

describe('access.read.guardRef (JL-A50, dsl 23.1)', () => {
  it('JL-U8 evaluates the guard with the request and a copy of the context', async () => {
    const { read, reports, run } = guarded(
      `${check}, ${decide('{ allowed: context.auth.apiKey.keyId == context.owner, problem: { title: "secret" } }')}, done: { type: succeed, outputVar: verdict }`,
    );
    expect(await read('sesame')).toBe('admitted');
    for (const key of ['guess', undefined]) {
      const refused = await read(key);
      expect(refused).toMatchObject(notThere);
      expect(JSON.stringify(refused)).not.toContain('secret');
    }
    expect(run.context).toEqual({ owner: 'ali' });
    expect(reports).toEqual([]);
  });

  it.each([
    ['returns another value', `${check}, ${decide('{ allowed: "yes" }')}, done: { type: succeed, outputVar: verdict }`],
    ['returns the whole context', `${check}, ${decide('{ allowed: true }')}, done: { type: succeed }`],
    ['fails', `${check}, ${decide('{}')}, done: { type: fail, errorCode: DENIED, reason: Not you }`],
    ['breaks', `${check}, ${decide('1 + context.owner')}, done: { type: succeed, outputVar: verdict }`],
    [
      'has no profile',
      `check: { type: task, task: { kind: "jwtValidate:v1" }, next: done }, done: { type: succeed, outputVar: verdict }`,
    ],
  ])('a guard that %s admits nobody, and is reported to an operator', async (_, states) => {
    const { read, reports } = guarded(states);
    expect(await read('sesame')).toMatchObject(notThere);
    expect(reports).toHaveLength(1);
  });
});

it('an Api and its synchronous compensation can use the request (JL-1.11)', async () => {
  const sent: HttpRequest[] = [];
  const http = async (input: unknown, { headers }: { headers?: object }) => {
    sent.push({ ...(input as HttpRequest), headers: { ...headers } as Record<string, string> });
    return { ok: true, status: 200, headers: {}, body: null };
  };
  const apiOf = (mode: string) =>
    document(
      'Api',
      `
  bindings: { http: { start: { headersPassthrough: [{ from: X-Trace, to: X-Trace }] } } }
  compensation:
    mode: ${mode}
    start: undo
    states:
      undo: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://s.test/undo" }, next: undone }
      undone: { type: succeed }
  start: check
  states:
    check: { type: task, task: { kind: "apiKeyValidate:v1" }, next: decide }
    decide:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: context.auth.apiKey.keyId == "ali" } }, next: done }]
      default: stranger
    done: { type: succeed, outputVar: auth }
    stranger: { type: fail, errorCode: STRANGER, reason: I do not know you }
`,
    );
  const call = async (mode: string, key: string) => {
    const apis = new InProcessApis(config, { ...effects, http });
    const answer = await apis.call(apiOf(mode), apiRequest({}, { 'x-key': key, 'x-trace': 't-1' }));
    answer.after?.();
    await apis.settled();
    return answer;
  };
  expect((await call('sync', 'sesame')).body).toEqual({ apiKey: { keyId: 'ali' } });
  expect((await call('sync', 'guess')).body).toMatchObject({ code: 'STRANGER' });
  expect((await call('async', 'guess')).body).toMatchObject({ code: 'STRANGER' });
  expect(sent.map(({ headers }) => headers)).toEqual([{ 'x-trace': 't-1' }, {}]);
});
