import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { readProfiles } from '../../../src/scenarios/read/read-auth-profiles.js';
import { readScenarios } from '../../../src/scenarios/read/read-scenario-file.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';

const hash = `sha256:${createHash('sha256').update('sesame').digest('hex')}`;
const key = '{ kind: "apiKeyValidate:v1" }';
const call = (name: string) =>
  `{ kind: "httpCall:v1", method: GET, url: "https://s.test/${name}", resultVar: ${name} }`;
const task = (of: string, next: string) => `{ type: task, task: ${of}, next: ${next} }`;
const wait = (next: string) => `{ type: wait, wait: { channel: manual, input: { schema: {} } }, next: ${next} }`;
const keep = (name: string, next: string) =>
  `{ type: transform, transform: { mapper: { lang: dataweave, expr: 'context.auth.apiKey.keyId default context.auth.apiKey.problem.code' }, target: { kind: var }, resultVar: ${name} }, next: ${next} }`;

/** Plays one scenario of a journey in virtual time; returns its mismatches. */
async function play(spec: string, scenario: string) {
  const text = `
apiVersion: v1
kind: Journey
metadata: { name: asks, version: 1.0.0 }
spec:
  bindings:
    http:
      start: { headersPassthrough: [{ from: X-Trace, to: X-Trace }] }
      ${spec.includes('ask:') ? 'steps: { ask: { headersPassthrough: [{ from: X-Step, to: X-Trace }] } }' : ''}
${spec}`;
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  const file = readScenarios(
    `
given:
  profiles:
    apiKeyValidate: { default: { keys: [{ id: ali, hash: "${hash}" }], source: { location: header, name: X-Key } } }
  backend: [{ call: GET https://s.test/**, reply: { body: {} } }]
scenarios:
  it:
${scenario}`,
    undefined,
    readProfiles,
  );
  if (file.findings.length > 0) throw new Error(JSON.stringify(file.findings));
  const { mismatches } = await runScenario(definition, file.scenarios[0]!.scenario);
  return mismatches.map(({ subject, message }) => `${subject}: ${message}`);
}

const started = '    headers: { X-Key: sesame, X-Trace: t-1 }';
const calls = (...headers: (string | undefined)[]) =>
  `calls: [${headers.map((it, i) => `{ call: GET https://s.test/c${i}${it === undefined ? '' : `, headers: { x-trace: ${it} }`} }`).join(', ')}]`;

describe('the current request of a run (JL-1.11, dsl 17.1, 18)', () => {
  it('is that of the start, then that of the step, each until the run waits', async () => {
    const spec = `
  start: a
  states:
    a: ${task(key, 'a1')}
    a1: ${keep('first', 'b')}
    b: ${task(call('c0'), 'ask')}
    ask: ${wait('d')}
    d: ${task(key, 'd1')}
    d1: ${keep('second', 'e')}
    e: ${task(call('c1'), 'pause')}
    pause: { type: timer, timer: { duration: PT1S }, next: f }
    f: ${task(key, 'f1')}
    f1: ${keep('third', 'g')}
    g: ${task(call('c2'), 'end')}
    end: { type: succeed }`;
    const scenario = `
${started}
    steps: [{ step: ask, headers: { X-Key: guess, X-Step: t-2 } }]
    expect:
      phase: SUCCEEDED
      contextIncludes: { first: ali, second: APIKEY_INVALID, third: APIKEY_MISSING }
      ${calls('t-1', 't-2', undefined)}`;
    expect(await play(spec, scenario)).toEqual([]);
    // The last call forwards nothing.
    expect(await play(spec, scenario.replace(calls('t-1', 't-2', undefined), calls('t-1', 't-2', 't-2')))).toHaveLength(
      1,
    );
  });

  it('is available in subjourneys and branches, and a request that arrives there is available afterwards', async () => {
    const spec = `
  subjourneys:
    inner:
      start: a
      states:
        a: ${task(key, 'a1')}
        a1: ${keep('first', 'ask')}
        ask: ${wait('done')}
        done: { type: succeed }
  start: sub
  states:
    sub: { type: subjourney, subjourney: { ref: inner, resultVar: sub }, next: b }
    b: ${task(key, 'b1')}
    b1: ${keep('after', 'both')}
    both:
      type: parallel
      parallel:
        branches:
          - { name: left, start: l, states: { l: ${task(key, 'l1')}, l1: ${keep('left', 'le')}, le: { type: succeed } } }
          - { name: right, start: r, states: { r: { type: timer, timer: { duration: PT1S }, next: r1 }, r1: ${task(key, 'r2')}, r2: ${keep('right', 're')}, re: { type: succeed } } }
        join: { strategy: allOf }
      next: e
    e: ${task(key, 'e1')}
    e1: ${keep('joined', 'end')}
    end: { type: succeed }`;
    const scenario = `
${started}
    steps: [{ step: ask, headers: { X-Key: guess } }]
    expect:
      phase: SUCCEEDED
      contextIncludes:
        sub: { first: ali }
        after: APIKEY_INVALID
        left: APIKEY_INVALID
        right: APIKEY_MISSING
        joined: APIKEY_MISSING`;
    expect(await play(spec, scenario)).toEqual([]);
  });

  it('is empty after a signal, and headers of the journey override forwarded ones', async () => {
    const spec = `
  start: b
  states:
    b: ${task('{ kind: "httpCall:v1", method: GET, url: "https://s.test/c0", headers: { X-Trace: mine } }', 'ask')}
    ask: ${wait('d')}
    d: ${task(key, 'd1')}
    d1: ${keep('second', 'end')}
    end: { type: succeed }`;
    const scenario = `
${started}
    signals: [{ step: ask }]
    expect:
      phase: SUCCEEDED
      contextIncludes: { second: APIKEY_MISSING }
      ${calls('mine')}`;
    expect(await play(spec, scenario)).toEqual([]);
  });

  it('JL-U22 replaces the previous verdict, and a missing profile ends the run (dsl 18.3)', async () => {
    const spec = `
  start: a
  states:
    a: ${task('{ kind: "apiKeyValidate:v1", authVar: caller }', 'ask')}
    ask: ${wait('d')}
    d: ${task('{ kind: "apiKeyValidate:v1", authVar: caller }', 'e')}
    e: ${task('{ kind: "jwtValidate:v1", profile: nobodys }', 'end')}
    end: { type: succeed, outputVar: caller }`;
    const scenario = `
${started}
    steps: [{ step: ask }]
    expect:
      errorCode: JWT_CONFIG_PROFILE_MISSING
      terminationKind: RuntimeError
      currentState: e
      contextIncludes: { caller: { apiKey: { problem: { code: APIKEY_MISSING } } } }`;
    expect(await play(spec, scenario)).toEqual([]);
    const stale = scenario.replace('problem: {', 'keyId: ali, problem: {');
    expect(await play(spec, stale)).toHaveLength(1);
  });
});
