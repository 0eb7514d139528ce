import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load.js';
import { wordsWith } from '../../../src/library/plugins.js';
import { handlerOutcome } from '../../../src/pipelines/outcomes.js';
import { refuse } from '../../../src/problems/problem.js';
import { ScriptedBackend } from '../../../src/scenarios/backend.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { VirtualClock } from '../../../src/scenarios/virtual/clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/effects.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import type { Plugin } from '../../../src/tasks/plugin/plugin.js';
import type { Reply, VirtualEffect } from '../../../src/tasks/virtual.js';

/** A call, and a failure or a success after it. */
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

/** How a handler with one task ends whose effects answer like this. */
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
  const { definition, findings } = load({ text }, { words: wordsWith(plugins) });
  expect(findings).toEqual([]);
  const clock = new VirtualClock(0);
  const effects = new VirtualEffects(clock, new ScriptedBackend([]), [{ virtual: () => answers }]);
  const run = new Simulation(definition!, {}, { clock, effects, info: { handler: true } });
  return (await run.toEnd()).outcome!;
}

describe('SCH-K1: whether what a handler did is certain', () => {
  const twice = ', resiliencePolicyRef: twice';
  it.each([
    ['POST', 'fail', [{ fail: 'timeout' }], '', true],
    ['DELETE', 'fail', [{ fail: 'network' }], '', true],
    // The first attempt may have happened, whatever the second was told.
    ['POST', 'fail', [{ fail: 'network' }, { status: 409 }], twice, true],
    ['POST', 'fail', [{ status: 500 }], '', undefined],
    ['GET', 'fail', [{ fail: 'timeout' }], '', undefined],
    ['POST', 'succeed', [{ fail: 'timeout' }], '', undefined],
  ] as const)('%s that leads to %s after %j%s', async (method, end, replies, more, uncertain) => {
    const outcome = await outcomeOf(journey(method, end, more), replies as unknown as Partial<Reply>[], true);
    expect(outcome.uncertain).toBe(uncertain);
    const told = handlerOutcome(outcome);
    expect(told).toMatchObject(end === 'succeed' ? { kind: 'success' } : { kind: 'fail', error: { code: 'BROKEN' } });
    expect('uncertain' in told).toBe(uncertain === true);
  });

  it.each([
    ['KAFKA_PUBLISH_FAILED', true],
    ['KAFKA_CONNECTION', undefined],
  ] as const)('a publish that ends with %s', async (code, uncertain) => {
    const outcome = await onlyTask(`{ kind: 'kafkaPublish:v1', topic: t, value: { ${mapper} } }`, {
      kafka: async () => refuse(code),
    });
    expect(outcome).toMatchObject({ phase: 'FAILED', error: { code } });
    expect(outcome.uncertain).toBe(uncertain);
  });

  it.each([
    [{ crash: 'it broke' }, false, true],
    [{ crash: 'it broke' }, true, undefined],
    [{ problem: { code: 'NO', title: 'no' } }, false, undefined],
  ] as const)('a plugin that answers %j; safe: %s', async (answer, safe, uncertain) => {
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
    expect(outcome.uncertain).toBe(uncertain);
  });

  it('is nothing that other runs say', async () => {
    expect(await outcomeOf(journey('POST', 'fail'), [{ fail: 'timeout' }], false)).not.toHaveProperty('uncertain');
  });
});
