import { describe, expect, it } from 'vitest';
import { load } from '../../../../src/language/load-journey.js';
import { readScript } from '../../../../src/scenarios/read/read-scenario-file.js';
import { recordPlay } from '../../../../src/scenarios/simulate/record-visited-moments.js';
import { interpretedChecks } from '../../../../src/service/start/input-checks.js';

const approval = `
apiVersion: v1
kind: Journey
metadata: { name: approval, version: 1.0.0 }
spec:
  input: { schema: { type: object, required: [amount], properties: { amount: { type: number } } } }
  start: ask
  states:
    ask:
      type: wait
      wait:
        channel: manual
        input: { schema: { type: object, required: [approved] } }
        timeoutSec: 3600
        onTimeout: late
      next: both
    both:
      type: parallel
      parallel:
        branches:
          - { name: pay, start: paid, states: { paid: { type: succeed } } }
          - name: tell
            start: told
            states:
              told: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ text: "done" }' }, target: { kind: context } }, next: end }
              end: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: 'branches.tell.status' }, resultVar: joined }
      next: done
    done: { type: succeed }
    late: { type: fail, errorCode: LATE, reason: 'Nobody answered.' }
`;

async function record(script: string, journey = approval) {
  const { definition, findings } = load({ text: journey });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const read = readScript(script);
  expect(read.findings).toEqual([]);
  const platform = { inputChecks: () => interpretedChecks, authEffects: () => ({}) };
  return await recordPlay(platform, definition!, read.scenarios[0]!.scenario, () => undefined);
}

describe('recordPlay', () => {
  it('records each visit with its time and context, also inside branches', async () => {
    const { moments, truncated } = await record(
      'input: { amount: 5 }\nsteps: [{ step: ask, payload: { approved: true }, at: PT10M }]',
    );
    expect(truncated).toBe(false);
    expect(moments.filter(({ kind }) => kind === 'entered').map(({ within, state }) => `${within} ${state}`)).toEqual([
      ' ask',
      ' both',
      'both#2.pay paid',
      'both#2.tell told',
      'both#2.tell end',
      ' done',
    ]);
    const [asked, answered] = moments;
    expect(asked).toMatchObject({
      kind: 'entered',
      sinceStartMs: 0,
      step: { dueMs: 3_600_000 },
      context: { amount: 5 },
    });
    expect(answered).toMatchObject({
      kind: 'left',
      sinceStartMs: 600_000,
      next: 'both',
      before: { amount: 5 },
      context: { amount: 5, payload: { approved: true } },
    });
    expect(moments.at(-1)).toMatchObject({ kind: 'end', state: 'done', phase: 'SUCCEEDED' });
  });

  it('shows a step without a submission, its timeout and the failure', async () => {
    const { moments, observation } = await record('input: { amount: 5 }');
    expect(moments.map(({ kind, state, sinceStartMs }) => [kind, state, sinceStartMs])).toEqual([
      ['entered', 'ask', 0],
      ['left', 'ask', 3_600_000],
      ['entered', 'late', 3_600_000],
      ['left', 'late', 3_600_000],
      ['end', 'late', 3_600_000],
    ]);
    expect(moments.at(-1)!.texts[0]).toContain('LATE: Nobody answered.');
    expect(observation.phase).toBe('FAILED');
  });

  it('validates the input without generated code', async () => {
    const { moments, observation } = await record('input: { amount: many }');
    expect(moments).toEqual([]);
    expect(observation.refused).toMatchObject({ code: 'INPUT_INVALID' });
    expect(observation.refused!.errors![0]).toMatchObject({ pointer: '/amount' });
  });

  it('stops an endless journey, and keeps a bounded number of moments', async () => {
    const endless = `
apiVersion: v1
kind: Journey
metadata: { name: endless, version: 1.0.0 }
spec:
  start: sleep
  states:
    sleep: { type: timer, timer: { duration: PT1S }, next: count }
    count: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ n: (context.n default 0) + 1 }' }, target: { kind: context } }, next: sleep }
`;
    const { moments, observation, truncated } = await record('{}', endless);
    expect(observation.problems.map(({ message }) => message).join()).toContain('more than 10000 times');
    expect([moments.length, truncated]).toEqual([20_000, true]);
  });
});
