import { describe, expect, it } from 'vitest';
import { refuse } from '../../../src/base/problems/problem.js';
import { AttemptLost } from '../../../src/engine/host.js';
import { load } from '../../../src/language/load-journey.js';
import type { Plugin } from '../../../src/language/tasks/plugin/plugin-interface.js';
import type { Reply, VirtualEffect } from '../../../src/language/tasks/task-kind.js';
import { vocabularyWith } from '../../../src/library/load-plugins.js';
import { handlerOutcome } from '../../../src/pipelines/handle-outcome.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';

/** A journey with one call that then fails or succeeds. */
function journey(method: string, end: 'succeed' | 'fail', more = '') {
  const ending = end === 'succeed' ? 'type: succeed' : 'type: fail, errorCode: BROKEN, reason: broken';
  const { definition, findings } = load({
    text: `
apiVersion: v1
kind: Journey
metadata: { name: write, version: 1.0.0 }
spec:
  start: call
  policies: { httpResilience: { definitions: { twice: { maxAttempts: 2, retryOn: [NETWORK_ERROR], backoff: { kind: fixed, baseDelayMs: 1, maxDelayMs: 1 } } } } }
  states:
    call: { type: task, task: { kind: 'httpCall:v1', method: ${method}, url: 'https://s.test/', resultVar: r${more} }, next: end }
    end: { ${ending} }
`,
  });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return definition!;
}

async function outcomeOf(definition: ReturnType<typeof journey>, replies: Partial<Reply>[], handler: boolean) {
  const clock = new VirtualClock(0);
  const whole = replies.map((reply) => ({ status: 200, headers: {}, body: null, afterMs: 0, ...reply }) as Reply);
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://s.test/')!, replies: whole }]);
  const effects = new VirtualEffects(clock, backend);
  const run = new Simulation(definition, {}, { clock, effects, ...(handler && { info: { handler: true as const } }) });
  return (await run.toEnd()).outcome!;
}

const mapper = "mapper: { lang: dataweave, expr: '1' }";

/** The outcome of a handler with one task, whose effects have these results. */
async function onlyTask(task: string, answers: Record<string, VirtualEffect>, ...plugins: Plugin[]) {
  const text = `
apiVersion: v1
kind: Journey
metadata: { name: write, version: 1.0.0 }
spec:
  start: go
  states:
    go: { type: task, task: ${task}, next: end }
    end: { type: succeed }
`;
  const { definition, findings } = load({ text }, { words: vocabularyWith(plugins) });
  expect(findings).toEqual([]);
  const clock = new VirtualClock(0);
  const forms = Object.entries(answers).map(([name, answer]) => ({ name, virtual: () => answer }));
  const effects = new VirtualEffects(clock, new ScriptedBackend([]), forms);
  const run = new Simulation(definition!, {}, { clock, effects, info: { handler: true } });
  return (await run.toEnd()).outcome!;
}

describe('SCH-K1: the certainty of a handler’s effects', () => {
  const twice = ', resiliencePolicyRef: twice';
  it.each([
    ['POST', 'fail', [{ fail: 'timeout' }], '', true],
    ['DELETE', 'fail', [{ fail: 'network' }], '', true],
    // The first attempt may have succeeded, whatever the response to the second.
    ['POST', 'fail', [{ fail: 'network' }, { status: 409 }], twice, true],
    ['POST', 'fail', [{ status: 500 }], '', undefined],
    ['GET', 'fail', [{ fail: 'timeout' }], '', undefined],
    // The journey knows that the outcome is unknown, and continues.
    ['POST', 'succeed', [{ fail: 'timeout' }], '', true],
  ] as const)('after %s that leads to %s with the replies %j%s', async (method, end, replies, more, uncertain) => {
    const outcome = await outcomeOf(journey(method, end, more), replies as unknown as Partial<Reply>[], true);
    const call = { state: 'call', call: `${method} s.test/`, reason: 'NO_ANSWER' };
    expect(outcome.uncertain).toEqual(uncertain && [expect.objectContaining(call)]);
    const handled = handlerOutcome(outcome);
    expect(handled).toMatchObject(
      end === 'succeed' ? { kind: 'success' } : { kind: 'fail', error: { code: 'BROKEN' } },
    );
    expect('uncertain' in handled).toBe(uncertain === true && end === 'fail');
  });

  it.each([
    ['KAFKA_PUBLISH_FAILED', true],
    ['KAFKA_CONNECTION', undefined],
  ] as const)('after a publish that ends with %s', async (code, uncertain) => {
    const outcome = await onlyTask(`{ kind: 'kafkaPublish:v1', topic: t, value: { ${mapper} } }`, {
      kafka: async () => refuse(code),
    });
    expect(outcome).toMatchObject({ phase: 'FAILED', error: { code } });
    expect(outcome.uncertain).toEqual(uncertain && [expect.objectContaining({ state: 'go', reason: 'NO_ANSWER' })]);
  });

  it.each([
    [{ crash: 'it broke' }, false, true],
    [{ crash: 'it broke' }, true, undefined],
    [{ problem: { code: 'NO', title: 'no' } }, false, undefined],
  ] as const)('after a plugin that returns %j; safe: %s', async (answer, safe, uncertain) => {
    const plugin: Plugin = {
      kind: 'probe:v1',
      description: 'For tests.',
      fields: {},
      result: 'none',
      safe,
      run: () => null,
    };
    const outcome = await onlyTask(`{ kind: 'probe:v1' }`, { plugin: async () => answer }, plugin);
    expect(outcome.phase).toBe('FAILED');
    expect(outcome.uncertain).toEqual(uncertain && [expect.objectContaining({ state: 'go', reason: 'NO_ANSWER' })]);
  });

  it('GAP-4 includes the state, the call and the error of an interrupted call', async () => {
    const outcome = await outcomeOf(journey('POST', 'fail'), [{ fail: 'network' }], true);
    const uncertain = {
      state: 'call',
      call: 'POST s.test/',
      error: 'NETWORK: the connection was closed by the other side',
    };
    expect(outcome.uncertain).toMatchObject([uncertain]);
    expect(handlerOutcome(outcome)).toMatchObject({ kind: 'fail', uncertain });
  });

  it.each([
    ['repeat', 2, { ok: true }, 'REPEATED'],
    ['fail', 1, { ok: false, uncertain: true, error: { type: 'NETWORK' } }, 'LOST'],
  ] as const)('GAP-3 after a lost attempt with onUncertain: %s', async (onUncertain, count, result, reason) => {
    let attempts = 0;
    const http: VirtualEffect = async () => {
      attempts += 1;
      if (attempts === 1) throw new AttemptLost();
      return { ok: true, status: 201, headers: {}, body: null };
    };
    const task = `{ kind: 'httpCall:v1', method: POST, url: 'https://s.test/', resultVar: r, onUncertain: ${onUncertain} }`;
    const outcome = await onlyTask(task, { http });
    expect(attempts).toBe(count);
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { r: result }, uncertain: [{ state: 'go', reason }] });
  });

  it('GAP-3 is the same in every run', async () => {
    const { uncertain } = await outcomeOf(journey('POST', 'fail'), [{ fail: 'timeout' }], false);
    expect(uncertain).toEqual([
      {
        state: 'call',
        call: 'POST s.test/',
        error: expect.stringContaining('TIMEOUT'),
        idempotencyKey: expect.stringMatching(/call#1$/),
        reason: 'NO_ANSWER',
      },
    ]);
  });
});
