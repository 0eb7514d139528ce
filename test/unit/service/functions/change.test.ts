import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import { automation, jobArgs, testNow } from '../../../support/automation.js';

const codes = (errors: unknown) =>
  (errors as { code: string; pointer: string }[]).map((it) => `${it.pointer} ${it.code}`);
const slack = { channel: 'slack', channelProfileId: 'slack_main', channelId: 'C100', postingMode: 'channel_post' };

async function made(rest: JsonObject = {}) {
  const rig = automation();
  const { jobId } = await rig.invoke('schedule.create', jobArgs(rest));
  const update = (patch: JsonObject) => rig.invoke('schedule.update', { jobId, patch });
  const refusedUpdate = (patch: JsonObject) => rig.refused('schedule.update', { jobId, patch });
  return { ...rig, rig, jobId, update, refusedUpdate };
}

describe('schedule.update', () => {
  it('replaces the given fields and keeps the others', async () => {
    const { rig, update } = await made({ targetRef: slack, name: 'a' });
    rig.clock = testNow + 5000;
    const job = await update({
      schedule: { type: 'cron', expression: '30 9 * * 1-5', timezone: 'Europe/Rome' },
      misfirePolicy: 'skip_missed',
    });
    expect(job).toMatchObject({
      changed: true,
      name: 'a',
      targetRef: slack,
      schedule: { expression: '30 9 * * 1-5' },
      misfirePolicy: 'skip_missed',
      createdAt: '2030-01-07T12:00:00.000Z',
      updatedAt: '2030-01-07T12:00:05.000Z',
    });
    expect(await update({ misfirePolicy: 'skip_missed' })).toMatchObject({ changed: false });
  });

  it('SCH-D17 null clears a field', async () => {
    const { update, refusedUpdate } = await made({
      targetRef: slack,
      name: 'a',
      misfirePolicy: 'skip_missed',
      allowOverlap: true,
      maxDurationSec: 60,
    });
    expect(
      await update({ targetRef: null, name: null, misfirePolicy: null, allowOverlap: null, maxDurationSec: null }),
    ).toMatchObject({
      targetRef: null,
      name: null,
      misfirePolicy: 'fire_once_on_recovery',
      allowOverlap: false,
      maxDurationSec: 86_400,
    });
    for (const key of ['schedule', 'targetAction', 'state'])
      expect((await refusedUpdate({ [key]: null })).code, key).toBe('FUNCTION_ARGUMENTS');
  });

  it('SCH-D17 accepts the output of show, like create', async () => {
    const { rig, invoke, jobId, update } = await made({ targetRef: slack, name: 'a' });
    const shown = { ...(await invoke('schedule.show', { jobId })) } as unknown as JsonObject;
    expect(await update(shown)).toMatchObject({ changed: false });
    expect(await update({ ...shown, name: 'b' })).toMatchObject({ changed: true, name: 'b' });
    const copied = await invoke('schedule.create', shown);
    expect(copied.jobId).not.toBe(jobId);
    for (const key of ['schedule', 'targetAction', 'targetRef', 'name', 'misfirePolicy', 'maxDurationSec'] as const)
      expect(copied[key] as Json).toEqual(shown[key]);
    await invoke('schedule.delete', { jobId });
    const gone = (await invoke('schedule.show', { jobId })) as unknown as JsonObject;
    expect(gone.state).toBe('deleted');
    expect((await invoke('schedule.create', gone)).state).toBe('enabled');
    // The finished `once` of a job is sent back unchanged.
    const once = await invoke(
      'schedule.create',
      jobArgs({ scheduleType: 'once', schedule: { runAt: '2030-01-08T00:00:00Z' } }),
    );
    rig.clock = testNow + 48 * 3_600_000;
    const late = (await invoke('schedule.show', { jobId: once.jobId })) as unknown as JsonObject;
    expect(await invoke('schedule.update', { jobId: once.jobId, patch: { ...late, name: 'late' } })).toMatchObject({
      name: 'late',
    });
  });

  it('rejects read-only fields by name, also inside a whole job', async () => {
    const { invoke, jobId, refusedUpdate } = await made();
    expect(codes((await refusedUpdate({ jobId: 'job-other', createdAt: 'x' })).errors)).toEqual([
      '/jobId JOB_INVALID',
      '/createdAt JOB_INVALID',
    ]);
    const shown = (await invoke('schedule.show', { jobId })) as unknown as JsonObject;
    const spoofed = await refusedUpdate({ ...shown, createdBy: { caller: 'key:boss' }, orchestratorId: 'ops' });
    expect(codes(spoofed.errors)).toEqual(['/createdBy JOB_INVALID', '/orchestratorId JOB_INVALID']);
    expect((await refusedUpdate({})).errors).toMatchObject([{ message: 'The change is empty' }]);
    expect((await refusedUpdate({ colour: 'red' })).errors).toMatchObject([
      { message: 'unknown argument `patch.colour`' },
    ]);
  });

  it('R3-54 X3-01 checks the schedule as at create, and requires its type', async () => {
    const { refusedUpdate } = await made();
    const tries: [JsonObject, string][] = [
      [{ schedule: { expression: '0 9 * * *', timezone: 'UTC' } }, '/schedule/type CADENCE_TYPE_UNKNOWN'],
      [
        { schedule: { type: 'cron', expression: '0 9 * * *', timezone: 'EST5' } },
        '/schedule/timezone CADENCE_ZONE_UNKNOWN',
      ],
      [{ schedule: { type: 'interval', everySeconds: 1 } }, '/schedule/everySeconds CADENCE_TOO_SHORT'],
      [{ schedule: { type: 'once', runAt: '2029-01-01T00:00:00Z' } }, '/schedule/runAt CADENCE_IN_THE_PAST'],
    ];
    for (const [patch, expected] of tries) expect(codes((await refusedUpdate(patch)).errors)).toEqual([expected]);
  });

  it('repeats an update after a concurrent change, which is kept', async () => {
    const { jobs, jobId, update } = await made();
    jobs.meanwhile = () => jobs.records.set(jobId, { ...jobs.records.get(jobId)!, name: 'theirs' });
    expect(await update({ misfirePolicy: 'skip_missed' })).toMatchObject({
      name: 'theirs',
      misfirePolicy: 'skip_missed',
    });
  });
});

describe('R3-10 X3-04 states', () => {
  const moves: [string, string, string | undefined][] = [
    ['enabled', 'pause', 'paused'],
    ['enabled', 'resume', 'enabled'],
    ['enabled', 'disable', 'disabled'],
    ['enabled', 'delete', 'deleted'],
    ['paused', 'pause', 'paused'],
    ['paused', 'resume', 'enabled'],
    ['paused', 'disable', 'disabled'],
    ['paused', 'delete', 'deleted'],
    ['disabled', 'pause', undefined],
    ['disabled', 'resume', 'enabled'],
    ['disabled', 'disable', 'disabled'],
    ['disabled', 'delete', 'deleted'],
    ['deleted', 'pause', undefined],
    ['deleted', 'resume', undefined],
    ['deleted', 'disable', undefined],
    ['deleted', 'delete', 'deleted'],
  ];
  it.each(moves)('from %s by %s', async (from, by, to) => {
    const { jobs, jobId, rig, logged } = await made();
    jobs.records.set(jobId, { ...jobs.records.get(jobId)!, state: from as 'enabled' });
    const call: [string, JsonObject] =
      by === 'disable' ? ['schedule.update', { jobId, patch: { state: 'disabled' } }] : [`schedule.${by}`, { jobId }];
    if (to === undefined) {
      const problem = await rig.refused(...call);
      expect(problem).toMatchObject({ code: 'JOB_STATE', status: 409, state: from, hint: expect.any(String) });
      return;
    }
    // An unchanged state is reported as such.
    expect(await rig.invoke(...call)).toMatchObject({ state: to, changed: from !== to });
    expect(logged.length).toBe(from === to ? 1 : 2);
  });

  it('X3-06 a deleted job stays readable, is listed only when asked for, and cannot be changed', async () => {
    const { invoke, rig, jobId, refusedUpdate } = await made();
    await invoke('schedule.delete', { jobId });
    expect(await invoke('schedule.show', { jobId })).toMatchObject({ state: 'deleted', nextRunAt: null });
    expect(await invoke<object>('schedule.list', {})).toEqual({ items: [] });
    expect(await invoke<object>('schedule.list', { state: 'deleted' })).toMatchObject({ items: [{ jobId }] });
    expect(await refusedUpdate({ name: 'x' })).toMatchObject({ code: 'JOB_STATE' });
    expect(rig.jobs.records.size).toBe(1);
  });

  it('SCH-D6 X3-05 a past `once` can be enabled only with a new future time', async () => {
    const { rig, jobs, jobId, update, refusedUpdate } = await made({
      scheduleType: 'once',
      schedule: { runAt: '2030-01-08T00:00:00Z' },
    });
    jobs.records.set(jobId, { ...jobs.records.get(jobId)!, state: 'disabled' });
    rig.clock = testNow + 24 * 3_600_000;
    for (const problem of [await rig.refused('schedule.resume', { jobId }), await refusedUpdate({ state: 'enabled' })])
      expect(codes(problem.errors)).toEqual(['/schedule/runAt CADENCE_IN_THE_PAST']);
    const schedule = { type: 'once', runAt: '2030-02-01T00:00:00Z' };
    expect(await update({ schedule })).toMatchObject({ state: 'disabled', nextRunAt: null });
    expect(await update({ state: 'enabled' })).toMatchObject({
      state: 'enabled',
      nextRunAt: '2030-02-01T00:00:00.000Z',
    });
    rig.clock = Date.parse('2030-03-01T00:00:00Z');
    await rig.invoke('schedule.pause', { jobId });
    expect((await rig.refused('schedule.resume', { jobId })).code).toBe('JOB_INVALID');
    const again = { schedule: { type: 'once', runAt: '2030-04-01T00:00:00Z' }, state: 'enabled' };
    expect(await update(again)).toMatchObject({ state: 'enabled', nextRunAt: '2030-04-01T00:00:00.000Z' });
  });
});

it('X3-12 SCH-D11 a job of another orchestrator is unknown, and an invalid id is rejected', async () => {
  const { rig, jobId } = await made();
  for (const name of ['show', 'pause', 'resume', 'delete', 'run_now'])
    expect(await rig.refused(`schedule.${name}`, { jobId }, { in: 'main' }), name).toMatchObject({
      code: 'JOB_UNKNOWN',
      status: 404,
    });
  const foreign = await rig.refused('schedule.update', { jobId, patch: { name: 'x' } }, { in: 'main' });
  expect(foreign.code).toBe('JOB_UNKNOWN');
  expect(await rig.invoke<object>('schedule.list', {}, { in: 'main' })).toEqual({ items: [] });
  const path = await rig.refused('schedule.show', { jobId: '../../../secret' });
  expect(path.code).toBe('PATH_REFUSED');
  expect(JSON.stringify(path)).not.toContain('secret');
});

it('SCH-D4 run_now returns the execution id, works while paused and does not change the job', async () => {
  const { rig, jobs, jobId } = await made();
  await rig.invoke('schedule.pause', { jobId });
  const before = jobs.records.get(jobId);
  const run = await rig.invoke<{ executionId: string }>('schedule.run_now', { jobId, requestId: 'r-1' });
  expect(run).toEqual({ executionId: `${jobId}-now-r-1`, requestId: 'r-1' });
  expect(jobs.records.get(jobId)).toBe(before);
  await rig.invoke('schedule.run_now', { jobId }, { requestId: 'from-the-request' });
  expect(jobs.triggered.map(({ requestId }) => requestId)).toEqual(['r-1', 'from-the-request']);
});

it('R3-56 R3-57 SCH-D18 every change is recorded with caller, event, before and after; requests without effect are not', async () => {
  const { rig, logged, jobId, update } = await made({ name: 'a' });
  await update({ name: 'b', allowOverlap: true });
  await update({ name: 'b' });
  for (const name of ['pause', 'pause', 'resume', 'run_now', 'delete']) await rig.invoke(`schedule.${name}`, { jobId });
  await rig.refused('schedule.resume', { jobId });
  const by = { caller: 'key:ann' };
  expect(logged.map(({ event }) => event)).toEqual([
    'scheduler.job.created',
    'scheduler.job.updated',
    'scheduler.job.paused',
    'scheduler.job.resumed',
    'scheduler.job.run_now',
    'scheduler.job.deleted',
  ]);
  expect(logged[0]).toMatchObject({ orchestratorId: 'eng', jobId, by, after: { name: 'a', state: 'enabled' } });
  expect(logged[1]).toEqual({
    event: 'scheduler.job.updated',
    orchestratorId: 'eng',
    jobId,
    by,
    before: { name: 'a', allowOverlap: false },
    after: { name: 'b', allowOverlap: true },
  });
  expect(logged[2]).toMatchObject({ by, before: { state: 'enabled' }, after: { state: 'paused' } });
  expect(logged[4]).toMatchObject({ by, executionId: expect.stringContaining(`${jobId}-now-`) });
});
