import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { admissionActivities } from '../../../../activities/external/check-activity-allowed.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { ownWorkflowTypes } from '../../../../src/engine/definition/external-activity-types.js';
import { load } from '../../../../src/language/load-journey.js';
import { checkScenario } from '../../../../src/scenarios/read/check-names-against-journey.js';
import { readScenarios } from '../../../../src/scenarios/read/read-scenario-file.js';
import { runScenario } from '../../../../src/scenarios/run-scenario.js';
import { virtualRunner } from '../../../../src/scenarios/virtual/virtual-runner.js';
import { dispatchWorkflow } from '../../../../workflows/dispatch/workflow-contract.js';
import { maintenanceWorkflow, runNowWorkflow } from '../../../../workflows/journey/workflow-contract.js';
import { pipelineWorkflow, tickWorkflow } from '../../../../workflows/pipeline/workflow-contract.js';

const foreign = 'workflow: ShipOrder\n        taskQueue: shipping\n        args: { expr: context.args }';

const journey = (more = '', target = foreign, state = 'next: done', spec = '') => `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  ${spec}
  start: ship
  states:
    ship:
      type: task
      task:
        kind: workflow:v1
        ${target}
        resultVar: ship
        ${more}
      ${state}
    done: { type: succeed, outputVar: ship }
    lost: { type: fail, errorCode: LOST, reason: Nobody knows }
    refused: { type: fail, errorCode: REFUSED, reason: { expr: context.ship.error.message } }
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

async function outcomeOf(document: string, scenario: string) {
  const { definition } = load({ text: document });
  const { scenarios } = readScenarios(`scenarios: { one: { ${scenario}, expect: {} } }`);
  return (await virtualRunner.run(definition!, scenarios[0]!.scenario)).outcome;
}

describe('NEW-26 workflow:v1', () => {
  it('passes a list as the arguments, any other value as the only one, and returns value or error', async () => {
    const scenarios = `
scenarios:
  a list:
    input: { args: [1, { a: b }] }
    workflows: [{ workflow: ShipOrder, reply: { value: { id: s-1 }, after: P2D } }]
    expect: { output: { ok: true, value: { id: s-1 } }, elapsed: P2D, calls: [{ operation: workflow.ShipOrder, body: [1, { a: b }] }] }
  one value:
    input: { args: { parcel: 5 } }
    workflows: [{ workflow: ShipOrder, reply: {} }]
    expect: { output: { ok: true, value: null }, calls: [{ operation: workflow.ShipOrder, body: [{ parcel: 5 }] }] }
  a failure has one attempt:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: { error: { type: NoTruck, message: later, details: 3 } } }]
    expect:
      output: { ok: false, error: { type: NoTruck, message: later, details: [3], nonRetryable: false } }
      calls: [{ operation: workflow.ShipOrder }]
  a timeout is uncertain:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: { fail: timeout } }]
    expect: { outputIncludes: { ok: false, error: { type: TIMEOUT }, uncertain: true }, elapsed: P7D }
  so is one that was terminated:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: { fail: terminated } }]
    expect: { outputIncludes: { ok: false, error: { type: TERMINATED }, uncertain: true } }
  its id is taken:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: { error: { type: WORKFLOW_ALREADY_STARTED } } }]
    expect: { outputIncludes: { ok: false, error: { type: WORKFLOW_ALREADY_STARTED } } }
`;
    expect(await differences(journey('timeouts: { execution: P7D }'), scenarios)).toEqual({
      'a list': [],
      'one value': [],
      'a failure has one attempt': [],
      'a timeout is uncertain': [],
      'so is one that was terminated': [],
      'its id is taken': [],
    });
  });

  it('takes the path in onError for the type of the failure, and retries according to its policy', async () => {
    const onError =
      'next: done\n      onError: [{ on: [TIMEOUT, TERMINATED], next: lost }, { on: [NoTruck], next: refused }, { next: done }]';
    const more =
      'retry: { maximumAttempts: 2, initialInterval: PT1M }\n        timeouts: { execution: P7D, run: P1D }\n        safe: false';
    const scenarios = (timedOut: string) => `
given: { input: { args: [] } }
scenarios:
  the second succeeds:
    workflows: [{ workflow: ShipOrder, replies: [{ error: { type: NoTruck } }, { value: 1 }] }]
    expect: { output: { ok: true, value: 1 }, elapsed: PT1M }
  refused:
    workflows: [{ workflow: ShipOrder, reply: { error: { type: NoTruck, message: full } } }]
    expect: { errorCode: REFUSED, reason: full, elapsed: PT1M }
  timed out:
    workflows: [{ workflow: ShipOrder, replies: [{ after: P2D }, { value: 2 }] }]
    expect: ${timedOut}
`;
    const good = { 'the second succeeds': [], refused: [], 'timed out': [] };
    const unsafe = '{ errorCode: LOST, elapsed: P1D }';
    expect(await differences(journey(more, foreign, onError), scenarios(unsafe))).toEqual(good);
    const safe = '{ output: { ok: true, value: 2 }, elapsed: P1DT1M }';
    const text = journey(more.replace('safe: false', 'safe: true'), foreign, onError);
    expect(await differences(text, scenarios(safe))).toEqual(good);
  });

  it('runs another journey, whose input must be an object', async () => {
    const target = 'journey: ship-order\n        input: { expr: context.args }';
    const scenarios = `
scenarios:
  it succeeds:
    input: { args: { orderId: o-1 } }
    workflows: [{ journey: ship-order, reply: { value: { parcel: 7 } } }]
    expect: { output: { ok: true, value: { parcel: 7 } }, calls: [{ operation: journey.ship-order, body: { orderId: o-1 } }] }
  it fails:
    input: { args: {} }
    workflows: [{ journey: ship-order, reply: { error: { type: NO_TRUCK, message: full } } }]
    expect: { outputIncludes: { ok: false, error: { type: NO_TRUCK, message: full } } }
  no object:
    input: { args: 3 }
    expect: { outputIncludes: { ok: false, error: { type: INPUT_INVALID } }, calls: [] }
`;
    expect(await differences(journey('', target), scenarios)).toEqual({
      'it succeeds': [],
      'it fails': [],
      'no object': [],
    });
  });

  it('continues after the start of a detached child', async () => {
    const scenarios = `
scenarios:
  started:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: {} }]
    expect: { output: { ok: true, value: { workflowId: ship-1, runId: ship-1 } }, elapsed: PT0S }
  taken:
    input: { args: [] }
    workflows: [{ workflow: ShipOrder, reply: { error: { type: WORKFLOW_ALREADY_STARTED } } }]
    expect: { outputIncludes: { ok: false } }
`;
    const more = 'detach: true\n        id: { expr: "\\"ship-1\\"" }';
    expect(await differences(journey(more), scenarios)).toEqual({ started: [], taken: [] });
  });

  it.each([
    ['a number', 'number', '17', '17'],
    ['a text', 'text', '"order-17"', 'order-17'],
  ])('has the id that the document computes: %s', async (_, __, expr, id) => {
    const more = `detach: true\n        id: { expr: '${expr}' }`;
    const outcome = await outcomeOf(journey(more), 'input: {}, workflows: [{ workflow: ShipOrder, reply: {} }]');
    expect(outcome?.output).toMatchObject({ value: { workflowId: id } });
  });

  it.each(['"orders/17"', '"pipeline.vans"', '"journeyman-maintenance"', '""', '{ a: 1 }'])(
    'rejects an invalid id, or one that one of our own workflows could have: %s',
    async (expr) => {
      const outcome = await outcomeOf(journey(`id: { expr: '${expr}' }`), 'input: {}');
      expect(outcome?.error).toMatchObject({
        code: 'TASK_FAILED',
        reason: expect.stringContaining('id of the workflow'),
      });
    },
  );

  it('is awaited when the run is interrupted, unless it is safe or its cancellation type differs', async () => {
    const cut = async (more: string) => {
      const text = journey(
        more,
        foreign,
        'next: done',
        'execution: { maxDurationSec: 60, onTimeout: { errorCode: LATE, reason: Too late } }',
      );
      const run = await outcomeOf(text, 'input: {}, workflows: [{ workflow: ShipOrder, reply: { after: PT5M } }]');
      return [run?.error?.code, run?.uncertain?.map(({ state, call, reason }) => ({ state, call, reason }))];
    };
    expect(await cut('')).toEqual(['LATE', undefined]);
    expect(await cut('safe: true')).toEqual(['LATE', undefined]);
    const uncertain = [{ state: 'ship', call: 'workflow ShipOrder', reason: 'NO_ANSWER' }];
    for (const type of ['tryCancel', 'abandon', 'waitCancellationRequested'])
      expect(await cut(`cancellationType: ${type}`)).toEqual(['LATE', uncertain]);
    expect(await cut('safe: true\n        cancellationType: abandon')).toEqual(['LATE', undefined]);
  });

  it('reports a contradictory scripted reply', () => {
    const codes = (rule: string) =>
      readScenarios(`scenarios: { one: { workflows: [${rule}], expect: { phase: SUCCEEDED } } }`).findings.map(
        ({ code }) => code,
      );
    expect(codes('{ workflow: A, reply: { value: 1, error: { type: B } } }')).toEqual(['SCENARIO_REPLY']);
    expect(codes('{ workflow: A, journey: b, reply: {} }')).toEqual(['FIELD_TYPE']);
    expect(codes('{ workflow: A, reply: { fail: notStarted } }')).toEqual(['SCENARIO_REPLY']);
    expect(codes('{ reply: {} }')).toEqual(['FIELD_REQUIRED']);
    expect(codes('{ journey: a }')).toEqual(['SCENARIO_REPLY']);
  });

  it('reports a scripted workflow that the journey does not start', () => {
    const { definition } = load({ text: journey() });
    const codes = (rule: string) => {
      const file = readScenarios(`scenarios: { one: { workflows: [${rule}], expect: { phase: SUCCEEDED } } }`);
      checkScenario(file.scenarios[0]!.place, definition!);
      return file.findings.map(({ code }) => code);
    };
    expect(codes('{ workflow: ShipOrder, reply: {} }')).toEqual([]);
    expect(codes('{ workflow: ShipOrders, reply: {} }')).toEqual(['SCENARIO_OPERATION_UNKNOWN']);
    expect(codes('{ journey: ShipOrder, reply: {} }')).toEqual(['SCENARIO_OPERATION_UNKNOWN']);
  });
});

describe('NEW-26 the configuration of workflows', () => {
  const admit = (workflows: Record<string, string[]>, workflow: string, taskQueue = 'shipping') =>
    new MockActivityEnvironment().run(
      admissionActivities({ tasks: { activities: { shipping: ['ShipLater'] }, workflows } }, async () => ({
        taskQueue: 'never',
      })).admitTask,
      { workflow, taskQueue },
    );

  it('allows only listed workflows; a worker rejects others, without retries', async () => {
    const allowed = { shipping: ['ShipOrder'], mails: ['Send'] };
    expect(await admit(allowed, 'ShipOrder')).toEqual({ taskQueue: 'shipping' });
    const refusal = { type: 'WORKFLOW_NOT_ALLOWED', nonRetryable: true };
    await expect(admit(allowed, 'Send')).rejects.toMatchObject(refusal);
    await expect(admit(allowed, 'ShipLater')).rejects.toMatchObject(refusal);
    await expect(admit(allowed, 'ShipOrder', 'others')).rejects.toMatchObject(refusal);
    await expect(admit(allowed, 'toString', 'constructor')).rejects.toMatchObject(refusal);
    await expect(admit({}, 'ShipOrder')).rejects.toMatchObject(refusal);
  });

  it.each([
    ['our queue', 'journeyman: [A]'],
    ['our queue under the name of the deployment', '"shop-queue": [A]'],
    ['the queue of an orchestrator', '"shop-queue.main": [A]'],
    ['the queue of a gateway', '"gateway-6f1d": [A]'],
    ['a queue of Temporal', '"temporal-sys-per-ns-tq": [A]'],
    ['our pipelines', 'shipping: [journeyman.pipeline]'],
    ['our dispatches', 'shipping: [ShipOrder, journeyman.dispatch]'],
    ['a workflow of Temporal', 'shipping: [temporal-sys-scheduler-workflow]'],
    ['a type with a space', 'shipping: ["Ship Order"]'],
  ])('rejects %s', (_, entry) => {
    const cwd = mkdtempSync(join(tmpdir(), 'jm-tasks-'));
    const config = (workflows: string) =>
      writeFileSync(
        join(cwd, 'journeyman.config.yaml'),
        `temporal: { taskQueue: shop-queue }\ntasks: { workflows: { ${workflows} } }\n`,
      );
    config('shipping: [ShipOrder]');
    expect(loadConfig({ cwd, env: {} }).tasks).toEqual({ activities: {}, workflows: { shipping: ['ShipOrder'] } });
    config(entry);
    expect(() => loadConfig({ cwd, env: {} })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'CONFIG_FILE_INVALID' }) }),
    );
  });

  it('reserves every workflow type of ours', () => {
    for (const type of [dispatchWorkflow, maintenanceWorkflow, runNowWorkflow, pipelineWorkflow, tickWorkflow])
      expect(type).toMatch(ownWorkflowTypes);
  });
});
