import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { admissionActivities } from '../../../../activities/external/check-activity-allowed.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { load } from '../../../../src/language/load-journey.js';
import { readScenarios } from '../../../../src/scenarios/read/read-scenario-file.js';
import { runScenario } from '../../../../src/scenarios/run-scenario.js';
import { virtualRunner } from '../../../../src/scenarios/virtual/virtual-runner.js';

const journey = (more = '', state = 'next: done') => `
apiVersion: v1
kind: Journey
metadata: { name: pay, version: 1.0.0 }
spec:
  start: charge
  states:
    charge:
      type: task
      task:
        kind: activity:v1
        activity: ChargeCard
        taskQueue: payments
        args: { expr: context.args }
        timeouts: { startToClose: PT30S, scheduleToStart: PT5S }
        resultVar: charge
        ${more}
      ${state}
    done: { type: succeed, outputVar: charge }
    declined: { type: fail, errorCode: DECLINED, reason: The card was declined }
    unknown: { type: fail, errorCode: UNKNOWN, reason: Nobody knows }
`;

/** Plays scenarios of a journey; returns their mismatches. */
async function differences(document: string, scenarios: string): Promise<Record<string, unknown>> {
  const { definition, findings } = load({ text: document });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const file = readScenarios(scenarios);
  expect(file.findings).toEqual([]);
  const played = file.scenarios.map(async ({ scenario }) => {
    const { mismatches } = await runScenario(definition!, scenario, virtualRunner);
    return [scenario.name, mismatches.map(({ message }) => message)] as const;
  });
  return Object.fromEntries(await Promise.all(played));
}

describe('NEW-26 activity:v1', () => {
  it('passes a list as the arguments, any other value as the only one, and returns value or error', async () => {
    const scenarios = `
scenarios:
  a list:
    input: { args: [1, { a: b }] }
    activities: [{ activity: ChargeCard, reply: { value: { id: c-1 }, after: PT2S } }]
    expect: { output: { ok: true, value: { id: c-1 } }, elapsed: PT2S, calls: [{ operation: activity.ChargeCard, body: [1, { a: b }] }] }
  one value:
    input: { args: { amount: 5 } }
    activities: [{ activity: ChargeCard, reply: {} }]
    expect: { output: { ok: true, value: null }, calls: [{ operation: activity.ChargeCard, body: [{ amount: 5 }] }] }
  a failure has one attempt:
    input: { args: [] }
    activities: [{ activity: ChargeCard, reply: { error: { type: Busy, message: later, details: 3 } } }]
    expect:
      output: { ok: false, error: { type: Busy, message: later, details: [3], nonRetryable: false } }
      calls: [{ operation: activity.ChargeCard }]
  a timeout is uncertain:
    input: { args: [] }
    activities: [{ activity: ChargeCard, reply: { fail: timeout } }]
    expect: { outputIncludes: { ok: false, error: { type: TIMEOUT }, uncertain: true }, elapsed: PT30S }
  without a worker it is not:
    input: { args: [] }
    activities: [{ activity: ChargeCard, reply: { fail: notStarted } }]
    expect: { output: { ok: false, error: { type: NOT_STARTED, message: No worker accepted it in time. } }, elapsed: PT5S }
`;
    expect(await differences(journey(), scenarios)).toEqual({
      'a list': [],
      'one value': [],
      'a failure has one attempt': [],
      'a timeout is uncertain': [],
      'without a worker it is not': [],
    });
  });

  it('takes the path in onError for the type of the failure', async () => {
    const onError =
      'next: done\n      onError: [{ on: [CardDeclined], next: declined }, { on: [TIMEOUT], next: unknown }, { next: done }]';
    const scenarios = `
given: { input: { args: [] } }
scenarios:
  declined:
    activities: [{ activity: ChargeCard, reply: { error: { type: CardDeclined } } }]
    expect: { errorCode: DECLINED }
  timed out:
    activities: [{ activity: ChargeCard, reply: { after: PT31S } }]
    expect: { errorCode: UNKNOWN }
  other:
    activities: [{ activity: ChargeCard, reply: { error: { type: Broken } } }]
    expect: { outputIncludes: { ok: false } }
`;
    expect(await differences(journey('', onError), scenarios)).toEqual({ declined: [], 'timed out': [], other: [] });
  });

  it('retries according to its policy, and after a timeout only if it is safe', async () => {
    const retry = 'retry: { maximumAttempts: 3, initialInterval: PT2S, nonRetryableErrorTypes: [Fatal] }';
    const busy = '{ error: { type: Busy } }';
    const scenarios = (timedOut: string) => `
given: { input: { args: [] } }
scenarios:
  the third succeeds:
    activities: [{ activity: ChargeCard, replies: [${busy}, ${busy}, { value: 1 }] }]
    expect: { output: { ok: true, value: 1 }, elapsed: PT6S }
  the third fails:
    activities: [{ activity: ChargeCard, reply: ${busy} }]
    expect: { outputIncludes: { ok: false, error: { type: Busy } }, elapsed: PT6S }
  by its type:
    activities: [{ activity: ChargeCard, reply: { error: { type: Fatal } } }]
    expect: { outputIncludes: { ok: false }, elapsed: PT0S }
  by itself:
    activities: [{ activity: ChargeCard, reply: { error: { type: Busy, nonRetryable: true } } }]
    expect: { outputIncludes: { ok: false }, elapsed: PT0S }
  timed out:
    activities: [{ activity: ChargeCard, replies: [{ fail: timeout }, { value: 2 }] }]
    expect: ${timedOut}
`;
    const good = {
      'the third succeeds': [],
      'the third fails': [],
      'by its type': [],
      'by itself': [],
      'timed out': [],
    };
    const unsafe = '{ outputIncludes: { ok: false, uncertain: true }, elapsed: PT30S }';
    expect(await differences(journey(retry), scenarios(unsafe))).toEqual(good);
    const safe = '{ output: { ok: true, value: 2 }, elapsed: PT32S }';
    expect(await differences(journey(`safe: true\n        ${retry}`), scenarios(safe))).toEqual(good);
  });

  it('adds a note to the outcome about an unsafe call of unknown outcome', async () => {
    const text = (safe: boolean) => journey(`safe: ${safe}`);
    const uncertain = async (safe: boolean) => {
      const { definition } = load({ text: text(safe) });
      const script =
        'scenarios: { one: { input: { args: [] }, activities: [{ activity: ChargeCard, reply: { fail: timeout } }], expect: {} } }';
      const { outcome } = await virtualRunner.run(definition!, readScenarios(script).scenarios[0]!.scenario);
      return outcome?.uncertain?.map(({ state, call, reason }) => ({ state, call, reason }));
    };
    expect(await uncertain(false)).toEqual([{ state: 'charge', call: 'activity ChargeCard', reason: 'NO_ANSWER' }]);
    expect(await uncertain(true)).toBeUndefined();
  });

  it('reports a contradictory scripted reply', () => {
    const codes = (rule: string) =>
      readScenarios(`scenarios: { one: { activities: [${rule}], expect: { phase: SUCCEEDED } } }`).findings.map(
        ({ code }) => code,
      );
    expect(codes('{ activity: A, reply: { value: 1, error: { type: B } } }')).toEqual(['SCENARIO_REPLY']);
    expect(codes('{ activity: A, reply: { error: { message: none } } }')).toEqual(['FIELD_REQUIRED']);
    expect(codes('{ activity: A, reply: { status: 200 } }')).toEqual(['UNKNOWN_FIELD']);
    expect(codes('{ reply: {} }')).toEqual(['FIELD_REQUIRED']);
    expect(codes('{ activity: A }')).toEqual(['SCENARIO_REPLY']);
    expect(codes('{ activity: A, replies: [] }')).toEqual(['SCENARIO_REPLY']);
  });
});

describe('NEW-26 the configuration of activities', () => {
  const none = async () => ({ taskQueue: '' });
  const admit = (activities: Record<string, string[]>, activity: string, taskQueue = 'payments') =>
    new MockActivityEnvironment().run(admissionActivities({ tasks: { activities, workflows: {} } }, none).admitTask, {
      activity,
      taskQueue,
    });

  it('allows only listed activities; a worker rejects others, without retries', async () => {
    const allowed = { payments: ['ChargeCard'], mails: ['Send'] };
    expect(await admit(allowed, 'ChargeCard')).toEqual({ taskQueue: 'payments' });
    const refusal = { type: 'ACTIVITY_NOT_ALLOWED', nonRetryable: true };
    await expect(admit(allowed, 'Send')).rejects.toMatchObject(refusal);
    await expect(admit(allowed, 'ChargeCard', 'others')).rejects.toMatchObject(refusal);
    await expect(admit(allowed, 'toString', 'constructor')).rejects.toMatchObject(refusal);
    await expect(admit({}, 'ChargeCard')).rejects.toMatchObject(refusal);
  });

  it.each([
    ['our queue', 'journeyman: [A]'],
    ['our queue under the name of the deployment', '"shop-queue": [A]'],
    ['the queue of an orchestrator', '"shop-queue.main": [A]'],
    ['the queue of another installation', '"journeyman-other": [A]'],
    ['the queue of a gateway', '"gateway-6f1d": [A]'],
    ['the queue of scenarios', '"scenarios-1": [A]'],
    ['a queue of Temporal', '"/_sys/payments/1": [A]'],
    ['one of our effects', 'payments: [http]'],
    ['an activity of scheduled runs', 'payments: [ChargeCard, scheduleFinished]'],
    ['an activity of jobs', 'payments: [functionInvoked]'],
    ['our admission', 'payments: [admitTask]'],
    ['a type with a space', 'payments: ["Charge Card"]'],
    ['an empty type', 'payments: [""]'],
  ])('rejects %s', (_, entry) => {
    const cwd = mkdtempSync(join(tmpdir(), 'jm-tasks-'));
    const config = (activities: string) =>
      writeFileSync(
        join(cwd, 'journeyman.config.yaml'),
        `temporal: { taskQueue: shop-queue }\ntasks: { activities: { ${activities} } }\n`,
      );
    config('payments: [ChargeCard]');
    expect(loadConfig({ cwd, env: {} }).tasks.activities).toEqual({ payments: ['ChargeCard'] });
    config(entry);
    expect(() => loadConfig({ cwd, env: {} })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'CONFIG_FILE_INVALID' }) }),
    );
  });
});
