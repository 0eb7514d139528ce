import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import type { TargetAction } from '../../../../src/schedules/jobs/job-record.js';
import { checkTarget } from '../../../../src/service/functions/check-target.js';
import { automation, jobArgs, journeys, twoScopes } from '../../../support/automation.js';
import { journey } from '../../../support/journey.js';

const start = (workflowId: string, inputs?: JsonObject): JsonObject => ({
  type: 'workflow_start',
  workflowId,
  ...(inputs && { inputs }),
});
const invoke = (functionId: string, functionArgs?: JsonObject): JsonObject => ({
  type: 'command_invoke',
  functionId,
  ...(functionArgs && { functionArgs }),
});

describe('SCH-D19 targets are checked when a job is created and updated', () => {
  it.each([
    ['an unknown journey', start('raport'), 'JOURNEY_UNKNOWN', '/targetAction/workflowId'],
    ['a journey without a grant', start('secret'), 'ACCESS_DENIED', '/targetAction/workflowId'],
    ['R3-37 inputs of the wrong type', start('report', { day: 5 }), 'INPUT_INVALID', '/targetAction/inputs/day'],
    [
      'inputs that violate the schema of the journey',
      start('report', { night: 'x' }),
      'INPUT_INVALID',
      '/targetAction/inputs/night',
    ],
    ['a journey that waits for a submission', start('ask'), 'TARGET_INTERACTIVE', '/targetAction/workflowId'],
    ['R3-16 an unknown function', invoke('workflow.stauts'), 'FUNCTION_UNKNOWN', '/targetAction/functionArgs'],
    [
      'R3-22 arguments that violate the schema of the function',
      invoke('workflow.status', { run: 'x' }),
      'FUNCTION_ARGUMENTS',
      '/targetAction/functionArgs/runId',
    ],
    [
      'a function that starts a journey without a grant',
      invoke('journey.start', { workflowId: 'secret' }),
      'ACCESS_DENIED',
      '/targetAction/functionArgs/workflowId',
    ],
    [
      'R3-52 a shared folder without a grant',
      start('post-message', { file: 'shared://payroll/x.csv' }),
      'ACCESS_DENIED',
      '/targetAction/inputs/file',
    ],
  ])('%s', async (_, targetAction, code, place) => {
    const rig = automation();
    const places = ({ pointer, errors }: { pointer?: string; errors?: { pointer: string }[] }) =>
      [pointer, ...(errors ?? []).map((it) => it.pointer)].filter((it) => it !== undefined);
    const made = await rig.refused('schedule.create', jobArgs({ targetAction }));
    expect([made.code, places(made)]).toEqual([code, expect.arrayContaining([place])]);
    const { jobId } = await rig.invoke('schedule.create', jobArgs());
    expect((await rig.refused('schedule.update', { jobId, patch: { targetAction } })).code).toBe(code);
    expect(rig.jobs.records.get(jobId)?.targetAction).toMatchObject({ workflowId: 'report' });
  });

  it('R3-52 a granted shared folder may be used', async () => {
    const { invoke: call } = automation();
    const targetAction = start('post-message', { file: 'shared://reports/january.csv' });
    expect(await call('schedule.create', jobArgs({ targetAction }))).toMatchObject({ targetAction });
  });

  it('X3-11 the profile of a targetRef belongs to the orchestrator of the job', async () => {
    const rig = automation();
    const ref = { channel: 'slack', channelProfileId: 'slack_ops', channelId: 'C1', postingMode: 'channel_post' };
    expect(await rig.refused('schedule.create', jobArgs({ targetRef: ref }))).toMatchObject({
      code: 'ACCESS_DENIED',
      pointer: '/targetRef/channelProfileId',
    });
    const { jobId } = await rig.invoke('schedule.create', jobArgs());
    const update = (targetRef: JsonObject) => rig.refused('schedule.update', { jobId, patch: { targetRef } });
    expect((await update(ref)).code).toBe('ACCESS_DENIED');
    expect((await update({ ...ref, channelProfileId: 'slack_nobody' })).code).toBe('CHANNEL_PROFILE_UNKNOWN');
    expect(await update({ channel: 'webhook', channelProfileId: 'slack_main' })).toMatchObject({
      code: 'TARGET_REF_INVALID',
      pointer: '/targetRef/channel',
    });
  });

  const waits = { type: 'wait', schema: {}, next: 'done' } as const;
  const done = { type: 'succeed' } as const;
  const hidden: [string, Partial<Definition>][] = [
    ['behind another state', { start: 'first', states: { first: { ...waits, type: 'webhook' }, done } }],
    [
      'inside a subjourney',
      {
        start: 'call',
        states: { call: { type: 'subjourney', ref: 'inner', next: 'done' } as never, done },
        subjourneys: { inner: { start: 'ask', states: { ask: waits, done } } },
      },
    ],
  ];
  it.each(hidden)('a wait %s is found; an unreachable one is ignored', async (_, rest) => {
    const unreachable = journey('fine', { states: { done, alone: waits } });
    const rig = automation(twoScopes, [...journeys, journey('deep', rest), unreachable]);
    const problem = await rig.refused(
      'schedule.create',
      jobArgs({ orchestratorId: 'main', targetAction: start('deep') }),
      {
        in: 'main',
      },
    );
    expect(problem.code).toBe('TARGET_INTERACTIVE');
    await rig.invoke('schedule.create', jobArgs({ orchestratorId: 'main', targetAction: start('fine') }), {
      in: 'main',
    });
  });
});

describe('the same check when a job is due', () => {
  it('R3-15 R3-37 returns the prepared start', () => {
    const { targets, orchestrators } = automation();
    const action = start('report', { day: 'friday' }) as unknown as TargetAction;
    const checked = checkTarget(targets, orchestrators.get('eng'), action, null);
    expect(checked).toMatchObject({
      type: 'workflow_start',
      start: { definition: { name: 'report' }, body: { day: 'friday' }, config: {} },
    });
  });

  it('R3-52 a revoked grant is ACCESS_DENIED', async () => {
    const rig = automation();
    const { targetAction, jobId } = await rig.invoke('schedule.create', jobArgs());
    const eng = { ...rig.orchestrators.get('eng'), journeys: [] };
    expect(() => checkTarget(rig.targets, eng, targetAction, null)).toThrow('may not use the journey report');
    // Disabling such a job is allowed, enabling it is not.
    const revoked = automation({
      ...twoScopes,
      orchestrators: { ...twoScopes.orchestrators, eng: { ...twoScopes.orchestrators.eng!, journeys: [] } },
    });
    revoked.jobs.records.set(jobId, rig.jobs.records.get(jobId)!);
    expect(await revoked.invoke('schedule.pause', { jobId })).toMatchObject({ state: 'paused' });
    expect((await revoked.refused('schedule.resume', { jobId })).code).toBe('ACCESS_DENIED');
    expect((await revoked.refused('schedule.update', { jobId, patch: { name: 'x' } })).code).toBe('ACCESS_DENIED');
    expect(await revoked.invoke('schedule.update', { jobId, patch: { state: 'disabled' } })).toMatchObject({
      state: 'disabled',
    });
    expect(await revoked.invoke('schedule.delete', { jobId })).toMatchObject({ state: 'deleted' });
  });
});
