import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { memberCaller, scopeOf } from '../../../../src/service/job-automation.js';
import { automation, jobArgs } from '../../../support/automation.js';

describe('the registry of functions', () => {
  it('R3-23 publishes every function with a closed JSON Schema', () => {
    const published = automation().functions.list();
    expect(published.map(({ functionId }) => functionId)).toEqual([
      'journey.signal',
      'journey.start',
      'orchestrator.list',
      'queue.list',
      'schedule.create',
      'schedule.delete',
      'schedule.list',
      'schedule.pause',
      'schedule.repair',
      'schedule.resume',
      'schedule.run_now',
      'schedule.runs',
      'schedule.show',
      'schedule.update',
      'workflow.list',
      'workflow.status',
    ]);
    const ajv = new Ajv2020({ strict: false });
    for (const { functionId, parameters, description } of published) {
      expect(() => ajv.compile(parameters), functionId).not.toThrow();
      expect([parameters.type, parameters.additionalProperties, description !== '']).toEqual(['object', false, true]);
    }
  });

  it('R3-24 publishes the required arguments of each function', () => {
    const required = Object.fromEntries(
      automation()
        .functions.list(['schedule.*'])
        .map(({ functionId, parameters }) => [functionId, parameters.required]),
    );
    expect(required).toEqual({
      'schedule.create': ['orchestratorId', 'schedule', 'targetAction'],
      'schedule.list': [],
      'schedule.show': ['jobId'],
      'schedule.update': ['jobId', 'patch'],
      'schedule.pause': ['jobId'],
      'schedule.resume': ['jobId'],
      'schedule.delete': ['jobId'],
      'schedule.repair': ['jobId'],
      'schedule.run_now': ['jobId'],
      'schedule.runs': ['jobId'],
    });
  });

  it('R3-22 checks grant and schema first, for every caller', async () => {
    const { refused, functions, orchestrators, jobs } = automation();
    expect(await refused('schedule.pause', { jobId: 7 })).toMatchObject({ code: 'FUNCTION_ARGUMENTS' });
    expect(await refused('schedule.pause', {}, { member: true })).toMatchObject({ code: 'FUNCTION_ARGUMENTS' });
    expect(await refused('schedule.puase', {})).toMatchObject({
      code: 'FUNCTION_UNKNOWN',
      hint: 'Did you mean schedule.pause?',
    });
    expect(await refused('schedule.show', { jobId: 'x' }, { in: 'ops', member: true })).toMatchObject({
      code: 'ACCESS_DENIED',
      hint: 'Allow it under orchestrators.ops.functions in the configuration.',
    });
    // An operator does not need the grants of the orchestrator.
    expect(await refused('schedule.show', { jobId: 'x' }, { in: 'ops' })).toMatchObject({ code: 'JOB_UNKNOWN' });
    expect(jobs.records.size).toBe(0);
    expect(functions.list(orchestrators.get('ops').functions).map(({ functionId }) => functionId)).toEqual([
      'schedule.create',
      'schedule.list',
    ]);
  });

  it('registered functions are checked the same way', async () => {
    const rig = automation();
    const invoked: unknown[] = [];
    rig.functions.register({
      id: 'channel.post',
      description: 'Says something.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      invoke: async (args, { orchestrator, requestId }) => invoked.push([args.text, orchestrator.id, requestId]),
    });
    await rig.invoke('channel.post', { text: 'hi' }, { requestId: 'r' });
    expect(invoked).toEqual([['hi', 'eng', 'r']]);
    expect((await rig.refused('channel.post', { txt: 'hi' })).errors).toMatchObject([
      { pointer: '/text' },
      { message: 'unknown argument `txt`', hint: 'Did you mean text?' },
    ]);
    const targetAction = { type: 'command_invoke', functionId: 'channel.post', functionArgs: { text: 'hi' } };
    expect(await rig.invoke('schedule.create', jobArgs({ targetAction }))).toMatchObject({ targetAction });
  });
});

describe('journeys and runs by function', () => {
  it('R3-33 journey.start goes through the queue: the same request is the same run', async () => {
    const { invoke, dispatcher, refused } = automation();
    const args = { workflowId: 'ask', inputs: { a: 1 } };
    const first = await invoke<{ executionId: string }>('journey.start', args, { requestId: 'r' });
    expect(await invoke('journey.start', args, { requestId: 'r' })).toEqual(first);
    expect([...dispatcher.envelopes.values()]).toEqual([
      {
        executionId: first.executionId,
        jobId: null,
        triggeredAt: '2030-01-07T12:00:00.000Z',
        orchestratorId: 'eng',
        origin: 'http',
        requestedBy: { caller: 'key:ann' },
        targetAction: { type: 'workflow_start', workflowId: 'ask', inputs: { a: 1 } },
        targetRef: null,
      },
    ]);
    expect((await refused('journey.start', { workflowId: 'secret' })).code).toBe('ACCESS_DENIED');
  });

  it('workflow.status and journey.signal only reach runs of their own orchestrator', async () => {
    const { invoke, refused, submitted } = automation();
    const { executionId: runId } = await invoke<{ executionId: string }>('journey.start', { workflowId: 'ask' });
    expect(await invoke<object>('workflow.status', { runId })).toMatchObject({ executionId: runId, phase: 'incoming' });
    expect(await refused('workflow.status', { runId }, { in: 'main' })).toMatchObject({
      code: 'EXECUTION_UNKNOWN',
      status: 404,
    });
    await invoke('journey.signal', { runId, step: 'ask', payload: { yes: true } }, { requestId: 'r' });
    expect(submitted).toMatchObject([
      { id: `${runId}/journey`, stepId: 'ask', payload: { yes: true }, idempotencyKey: 'r' },
    ]);
    expect((await refused('journey.signal', { runId, step: 'ask' }, { in: 'main' })).code).toBe('EXECUTION_UNKNOWN');
  });

  it('workflow.list and orchestrator.list show the scope only', async () => {
    const { invoke } = automation();
    const names = async (scope: string) =>
      (await invoke<{ items: { workflowId: string }[] }>('workflow.list', {}, { in: scope })).items.map(
        (it) => it.workflowId,
      );
    expect(await names('eng')).toEqual(['report', 'post-message', 'ask']);
    expect(await names('ops')).toEqual([]);
    expect(await names('main')).toContain('secret');
    expect(await invoke<object>('orchestrator.list', {})).toMatchObject({
      items: [{ orchestratorId: 'eng', channelProfiles: [{ id: 'slack_main', channel: 'slack' }] }],
    });
  });
});

describe('the scope of a request', () => {
  const { orchestrators } = automation();
  const code = (request: Parameters<typeof scopeOf>[1]) => {
    try {
      return scopeOf(orchestrators, request).orchestrator.id;
    } catch (error) {
      return (error as { problem: { code: string } }).problem.code;
    }
  };

  it('R3-26 R3-27 follows from the profile', () => {
    expect(code({ channelProfileId: 'slack_main' })).toBe('eng');
    expect(code({ channelProfileId: 'slack_main', orchestratorId: 'eng' })).toBe('eng');
    expect(code({ channelProfileId: 'slack_main', orchestratorId: 'ops' })).toBe('ACCESS_DENIED');
  });

  it('R3-25 R3-29 R3-30 is never inferred, and unknown names are rejected', () => {
    expect(code({})).toBe('ORCHESTRATOR_REQUIRED');
    expect(code({ orchestratorId: 'nobody' })).toBe('ORCHESTRATOR_UNKNOWN');
    expect(code({ channelProfileId: 'nobody' })).toBe('CHANNEL_PROFILE_UNKNOWN');
    expect(code({ orchestratorId: '../main' })).toBe('PATH_REFUSED');
    expect(code({ orchestratorId: 'constructor' })).toBe('ORCHESTRATOR_UNKNOWN');
  });

  it('a member has the grants of its orchestrator', () => {
    expect(memberCaller(orchestrators.get('ops'), { caller: 'x' }, 'channel', 'r').functions).toEqual([
      'schedule.list',
      'schedule.create',
    ]);
  });
});
