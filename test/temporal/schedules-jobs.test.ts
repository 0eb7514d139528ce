import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import type { Envelope } from '../../src/schedules/jobs/dispatch-envelope.js';
import { eventually } from '../support/eventually.js';
import { bundled } from './support/encryption.js';
import { codeOf, endedRuns, every, type JobRig, job, jobRig, slow, soon, total, yearly } from './support/jobs.js';
import { journeyOf } from './support/rig.js';
import { temporalCli } from './support/temporal-cli.js';

/** Returns the URLs of its step, and ends without reaching it. */
const answering = `
apiVersion: v1
kind: Journey
metadata: { name: answering, version: 1.0.0 }
spec:
  start: hand-out
  states:
    hand-out: { type: transform, transform: { mapper: { lang: dataweave, expr: platform.run.callbacks }, target: { kind: var }, resultVar: urls }, next: choose }
    choose: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.ask == true" } }, next: answer }], default: done }
    answer: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed, outputVar: urls }
`;

const start = (workflowId: string, inputs = {}) => ({ type: 'workflow_start', workflowId, inputs }) as const;

describe.concurrent('jobs', () => {
  let rigged: JobRig;
  beforeAll(async () => {
    rigged = await jobRig();
    rigged.journeys.set('slower', journeyOf(slow(30, 'slower')));
    rigged.journeys.set('answering', journeyOf(answering));
  });
  afterAll(() => rigged.stop());

  const show = (jobId: string) => rigged.jobs.show('main', jobId);
  const to = (jobId: string, state: 'enabled' | 'paused' | 'disabled' | 'deleted') =>
    rigged.jobs.change('main', jobId, (record) => ({ ...record, state }));
  const cli = async (...args: string[]) =>
    execFileSync(await temporalCli(), [...args, '--address', inject('temporalAddress')], { stdio: 'pipe' });

  it('R3-02, R3-15, R3-31, R3-34, R3-35, R3-57, R3-58: fires once at its time, with its inputs, in its orchestrator', async ({
    expect,
  }) => {
    const made = await rigged.jobs.create(job({ schedule: soon(), name: 'greeting' }), 'a');
    expect(made).toMatchObject({ state: 'enabled', lastRunAt: null, lastResult: null, drift: [] });
    const [run, ...others] = await endedRuns(rigged, made.jobId);
    expect(others).toEqual([]);
    const at = made.nextRunAt!;
    expect(run).toMatchObject({
      executionId: `${made.jobId}-${at.replace('.000', '')}`,
      jobId: made.jobId,
      orchestratorId: 'main',
      origin: 'schedule',
      triggeredAt: at,
      phase: 'done',
      result: {
        outcome: 'succeeded',
        reason: null,
        occurrences: [{ first: at, last: at, count: 1, reason: 'run' }],
      },
    });
    expect((await rigged.dispatcher.show('main', run!.executionId)).output).toEqual({ text: 'hi' });
    expect(await rigged.runs(run!.journeyId!)).toMatchObject({ phase: 'SUCCEEDED', journeyName: 'echo' });
    expect(await codeOf(rigged.dispatcher.show('other', run!.executionId))).toBe('EXECUTION_UNKNOWN');
    expect(await codeOf(rigged.runs(run!.executionId))).toBe('RUN_UNKNOWN');
    const history = await rigged.rigged.client.workflow.getHandle(run!.executionId).fetchHistory();
    await Worker.runReplayHistory(bundled(rigged.rigged.config), history, run!.executionId);
    const audited = rigged.audit
      .filter(({ executionId }) => executionId === run!.executionId)
      .map(({ event }) => event);
    expect(audited).toEqual(['scheduler.trigger.due', 'scheduler.trigger.dispatched', 'scheduler.trigger.completed']);
    expect(rigged.ended.filter(({ envelope }) => envelope.executionId === run!.executionId)).toHaveLength(1);
  });

  it('R14-callback: a run of a job has callback URLs', async ({ expect }) => {
    const { jobId } = await rigged.jobs.create(job({ schedule: soon(), targetAction: start('answering') }), 'a');
    const [run] = await endedRuns(rigged, jobId);
    const { output } = await rigged.dispatcher.show('main', run!.executionId);
    expect(output).toEqual({ answer: expect.stringContaining(`/journeys/${run!.journeyId}/steps/answer?callback=`) });
  });

  it('SCH-D6: a `once` that has fired is disabled and stays paused, so that the server keeps it', async ({
    expect,
  }) => {
    const { jobId } = await rigged.jobs.create(job({ schedule: soon() }), 'a');
    await endedRuns(rigged, jobId);
    const view = await show(jobId);
    expect(view).toMatchObject({ state: 'disabled', nextRunAt: null, lastResult: { outcome: 'succeeded' } });
    expect(view.occurrences).toEqual({ ran: 1, missed: 0, overlapped: 0, coalesced: 0 });
    expect(await codeOf(to(jobId, 'enabled'))).toBe('CADENCE_IN_THE_PAST');
    const raw = await rigged.rigged.client.schedule.getHandle(jobId).describe();
    expect(raw.state.paused).toBe(true);
    const { items } = await eventually(
      () => rigged.jobs.list({ orchestratorId: 'main', pageSize: 100, state: 'disabled' }),
      (it) => it.items.some((found) => found.jobId === jobId),
    );
    expect(items.find((it) => it.jobId === jobId)).toMatchObject({ lastResult: { outcome: 'succeeded', code: null } });
    const again = await rigged.jobs.change('main', jobId, (it) => ({ ...it, schedule: soon(), state: 'enabled' }));
    expect(again.nextRunAt).not.toBeNull();
    await endedRuns(rigged, jobId, 2);
    expect((await show(jobId)).occurrences).toEqual({ ran: 2, missed: 0, overlapped: 0, coalesced: 0 });
  });

  it('R3-03, R3-40, R3-41, SCH-D2, SCH-D7: an interval stays on its anchored grid, and nextRunAt advances', async ({
    expect,
  }) => {
    const schedule = every(3, Date.now() - 7_000);
    const { jobId, nextRunAt } = await rigged.jobs.create(job({ schedule }), 'a');
    const runs = await endedRuns(rigged, jobId, 3);
    const { nextRunAt: later } = await to(jobId, 'paused').then(() => to(jobId, 'enabled'));
    await to(jobId, 'deleted');
    const anchor = Date.parse(schedule.anchorAt as string);
    for (const { triggeredAt } of runs) expect((Date.parse(triggeredAt) - anchor) % 3_000).toBe(0);
    expect(runs.at(-1)?.triggeredAt).toBe(nextRunAt);
    expect(Date.parse(later!)).toBeGreaterThan(Date.parse(runs[0]!.triggeredAt));
    expect(new Set(runs.map(({ executionId }) => executionId)).size).toBe(runs.length);
  });

  it('the same key creates the same job; another job with that id is rejected', async ({ expect }) => {
    const made = job({ schedule: yearly });
    await rigged.jobs.create(made, 'k');
    await rigged.jobs.change('main', made.jobId, (it) => ({ ...it, name: 'changed' }));
    expect(await rigged.jobs.create(made, 'k')).toMatchObject({ name: 'changed' });
    expect(await codeOf(rigged.jobs.create(made, 'other'))).toBe('JOB_INVALID');
    expect(await codeOf(rigged.jobs.create({ ...made, orchestratorId: 'other' }, 'k'))).toBe('JOB_INVALID');
  });

  it('a job that would be too large for its runs is rejected', async ({ expect }) => {
    const targetAction = start('echo', { text: 'x'.repeat(600_000) });
    expect(await codeOf(rigged.jobs.create(job({ schedule: yearly, targetAction }), 'a'))).toBe('PAYLOAD_TOO_LARGE');
  });

  it('R3-32: a job of another orchestrator is unknown', async ({ expect }) => {
    const { jobId } = await rigged.jobs.create(job({ schedule: yearly }), 'a');
    for (const ask of [
      () => rigged.jobs.show('other', jobId),
      () => rigged.jobs.runs('other', jobId, { pageSize: 1 }),
      () => rigged.jobs.runNow('other', jobId, 'r'),
      () => rigged.jobs.change('other', jobId, (it) => it),
      () => rigged.jobs.show('main', 'no-such-job'),
    ])
      expect(await codeOf(ask())).toBe('JOB_UNKNOWN');
  });

  it('SCH-D15: ten writers at once lose nothing', async ({ expect }) => {
    const { jobId } = await rigged.jobs.create(job({ schedule: yearly, maxDurationSec: 0 }), 'a');
    const raise = () => rigged.jobs.change('main', jobId, (it) => ({ ...it, maxDurationSec: it.maxDurationSec + 1 }));
    await Promise.all([...Array.from({ length: 10 }, raise), to(jobId, 'paused')]);
    expect(await show(jobId)).toMatchObject({ maxDurationSec: 10, state: 'paused' });
  });

  describe.concurrent('run_now', () => {
    it('three concurrent calls with one request id create one run, also while paused, without changing the next time (SCH-D4)', async ({
      expect,
    }) => {
      const { jobId } = await rigged.jobs.create(job({ schedule: yearly }), 'a');
      const before = await to(jobId, 'paused');
      const asked = Array.from({ length: 3 }, () => rigged.jobs.runNow('main', jobId, 'same'));
      const ids = (await Promise.all(asked)).map(({ executionId }) => executionId);
      expect(new Set(ids).size).toBe(1);
      const runs = await endedRuns(rigged, jobId);
      expect(runs).toMatchObject([{ executionId: ids[0], origin: 'run_now', result: { outcome: 'succeeded' } }]);
      expect(await rigged.jobs.runNow('main', jobId, 'same')).toEqual({ executionId: ids[0] });
      expect(await endedRuns(rigged, jobId)).toHaveLength(1);
      const after = await show(jobId);
      expect(after).toMatchObject({
        state: 'paused',
        nextRunAt: before.nextRunAt,
        lastResult: { outcome: 'succeeded' },
      });
      expect(total(after)).toBe(0);
    });

    it('SCH-D3: it is exempt from `skip_missed`, and does not consume a `once`', async ({ expect }) => {
      const schedule = soon(12_000);
      const misfirePolicy = 'skip_missed';
      const { jobId, nextRunAt } = await rigged.jobs.create(job({ schedule, misfirePolicy }), 'a');
      await rigged.jobs.runNow('main', jobId, 'first');
      expect(await endedRuns(rigged, jobId)).toMatchObject([{ result: { outcome: 'succeeded' } }]);
      expect(await show(jobId)).toMatchObject({ state: 'enabled', nextRunAt });
      expect(await endedRuns(rigged, jobId, 2)).toMatchObject([
        { origin: 'schedule', triggeredAt: nextRunAt, result: { outcome: 'succeeded' } },
        { origin: 'run_now' },
      ]);
    });

    it('409 during a run, unless runs may overlap; rejected for disabled and deleted jobs', async ({ expect }) => {
      const targetAction = start('slow');
      const { jobId } = await rigged.jobs.create(job({ schedule: yearly, targetAction }), 'a');
      await rigged.jobs.runNow('main', jobId, '1');
      expect(await codeOf(rigged.jobs.runNow('main', jobId, '2'))).toBe('RUN_ACTIVE');
      const beside = await rigged.jobs.create(job({ schedule: yearly, targetAction, allowOverlap: true }), 'a');
      const two = await Promise.all(['1', '2'].map((id) => rigged.jobs.runNow('main', beside.jobId, id)));
      expect(new Set(two.map(({ executionId }) => executionId)).size).toBe(2);
      await to(jobId, 'disabled');
      expect(await codeOf(rigged.jobs.runNow('main', jobId, '3'))).toBe('JOB_STATE');
      await to(jobId, 'deleted');
      expect(await codeOf(rigged.jobs.runNow('main', jobId, '4'))).toBe('JOB_STATE');
      expect(await endedRuns(rigged, jobId)).toHaveLength(1);
      expect(total(await show(beside.jobId))).toBe(0);
    });
  });

  describe.concurrent('states', () => {
    it('SCH-D5: resuming does not cause a run; `temporal schedule` pauses and resumes too', async ({ expect }) => {
      const { jobId } = await rigged.jobs.create(job({ schedule: every(2, Date.now() + 60_000) }), 'a');
      await cli('schedule', 'toggle', '--pause', '-s', jobId, '--reason', 'holiday');
      expect(await show(jobId)).toMatchObject({ state: 'paused', nextRunAt: null });
      await rigged.jobs.change('main', jobId, (it) => ({ ...it, schedule: every(3600, Date.now() - 3_000_000) }));
      expect(await show(jobId)).toMatchObject({ state: 'paused' });
      await cli('schedule', 'toggle', '--unpause', '-s', jobId, '--reason', 'back');
      const view = await show(jobId);
      expect(view).toMatchObject({ state: 'enabled', drift: [] });
      expect(view.nextRunAt).not.toBeNull();
      await sleep(1_500);
      expect((await rigged.jobs.runs('main', jobId, { pageSize: 5 })).items).toEqual([]);
      await to(jobId, 'deleted');
    });

    it.for(['disabled', 'deleted'] as const)(
      'a %s job resumed with Temporal’s tools neither runs nor counts',
      async (state, { expect }) => {
        const { jobId } = await rigged.jobs.create(job({ schedule: every(1), targetAction: start('slower') }), 'a');
        await to(jobId, state);
        const before = total(await show(jobId));
        const ran = (await rigged.jobs.runs('main', jobId, { pageSize: 50 })).items.length;
        await cli('schedule', 'toggle', '--unpause', '-s', jobId, '--reason', 'oops');
        const look = async () => (await rigged.jobs.runs('main', jobId, { pageSize: 50 })).items;
        // A deleted one has no times left, so it can only be triggered manually.
        if (state === 'deleted') await cli('schedule', 'trigger', '-s', jobId);
        const more = state === 'deleted' ? 1 : 2;
        const runs = await eventually(look, (it) => it.filter(({ result }) => result).length >= ran + more);
        for (const run of runs.filter(({ result }) => result && result.reason?.code !== 'CANCELLED').slice(0, more))
          expect(run).toMatchObject({
            journeyId: null,
            result: { outcome: 'skipped', reason: { code: `JOB_${state.toUpperCase()}` }, occurrences: [] },
          });
        const after = await show(jobId);
        expect(after).toMatchObject({ state, nextRunAt: null });
        expect(after.drift).toHaveLength(1);
        const { items } = await rigged.jobs.list({ orchestratorId: 'main', pageSize: 200 });
        // Deleted ones are not listed.
        const listed = items.filter((it) => it.jobId === jobId).map(({ drift }) => drift.length);
        expect(listed).toEqual(state === 'deleted' ? [] : [1]);
        expect(total(after)).toBe(before);
        expect((await rigged.jobs.repair('main', jobId)).drift).toEqual([]);
      },
    );

    it('a deleted job stays readable, and is listed only on request', async ({ expect }) => {
      const { jobId } = await rigged.jobs.create(job({ schedule: yearly }), 'a');
      await to(jobId, 'deleted');
      expect(await show(jobId)).toMatchObject({ state: 'deleted', nextRunAt: null });
      const ids = async (state?: 'deleted') =>
        (await rigged.jobs.list({ orchestratorId: 'main', pageSize: 200, ...(state && { state }) })).items.map(
          (it) => it.jobId,
        );
      await eventually(
        () => ids('deleted'),
        (it) => it.includes(jobId),
      );
      expect(await ids()).not.toContain(jobId);
    });
  });

  describe.concurrent('when a job fires', () => {
    const fired = async (more: Partial<Parameters<typeof job>[0]>) => {
      const { jobId } = await rigged.jobs.create(job({ schedule: yearly, ...more }), 'a');
      const { executionId } = await rigged.jobs.runNow('main', jobId, 'r');
      await endedRuns(rigged, jobId);
      return { ...(await rigged.dispatcher.show('main', executionId)), jobId };
    };
    const status = async (executionId: string) =>
      (await rigged.rigged.client.workflow.getHandle(executionId).describe()).status.name;

    it('R3-52, SCH-D19: a revoked, unknown or mismatched target fails with its code', async ({ expect }) => {
      rigged.journeys.set('secret', rigged.journeys.get('echo')!);
      rigged.revoked.add('secret');
      const cases = [
        [start('secret'), 'ACCESS_DENIED'],
        [start('nowhere'), 'JOURNEY_UNKNOWN'],
        [start('echo', { text: 7 }), 'INPUT_INVALID'],
        [{ type: 'command_invoke', functionId: 'no.such' }, 'FUNCTION_UNKNOWN'],
        [start('failing'), 'NO_LUCK'],
      ] as const;
      for (const [targetAction, code] of cases) {
        const run = await fired({ targetAction });
        expect(run).toMatchObject({ output: null, result: { outcome: 'failed', reason: { code } } });
        expect(await status(run.executionId)).toBe('FAILED');
        expect((await show(run.jobId)).lastResult).toEqual({ outcome: 'failed', code });
      }
    });

    it('R3-16: a function receives its arguments and the envelope; its result is the output', async ({ expect }) => {
      const targetAction = { type: 'command_invoke', functionId: 'test.add', functionArgs: { a: 2, b: 3 } } as const;
      expect(await fired({ targetAction })).toMatchObject({
        output: 5,
        journeyId: null,
        result: { outcome: 'succeeded' },
      });
    });

    it('SCH-D14: a failing function is retried a few times within one run, and then fails', async ({ expect }) => {
      let calls = 0;
      rigged.functions.set('test.broken', async () => {
        calls += 1;
        throw new Error('no answer');
      });
      const targetAction = { type: 'command_invoke', functionId: 'test.broken' } as const;
      const run = await fired({ targetAction });
      expect(run.result).toMatchObject({ outcome: 'failed', reason: { code: 'TARGET_FAILED', message: 'no answer' } });
      expect(calls).toBe(5);
      expect((await rigged.jobs.runs('main', run.jobId, { pageSize: 10 })).items).toHaveLength(1);
    });

    it('R3-36, R3-39: the output is delivered to the channel once, through the queue; an unknown channel fails', async ({
      expect,
    }) => {
      const targetRef = { channel: 'test', channelProfileId: 'p', channelId: 'C1' };
      const run = await fired({ targetRef });
      expect(rigged.posts.filter((it) => it.executionId === run.executionId)).toMatchObject([
        { executionId: run.executionId, targetRef, text: 'hi' },
      ]);
      const lost = await fired({ targetRef: { ...targetRef, channel: 'pigeon' } });
      expect(lost).toMatchObject({ result: { outcome: 'failed', reason: { code: 'CHANNEL_NOT_SERVED' } } });
    });

    it('a run that exceeds maxDurationSec ends as TIMEOUT, and so does its journey', async ({ expect }) => {
      const run = await fired({ targetAction: start('slower'), maxDurationSec: 1 });
      expect(run).toMatchObject({ result: { outcome: 'failed', reason: { code: 'TIMEOUT' } } });
      expect(await status(run.journeyId!)).toBe('TIMED_OUT');
    });

    it('R3-42: a terminated or cancelled dispatch is counted, and the next one continues the account', async ({
      expect,
    }) => {
      const schedule = every(4);
      const { jobId } = await rigged.jobs.create(job({ schedule, targetAction: start('slower') }), 'a');
      const active = async () => (await show(jobId)).activeRuns;
      const [first] = await eventually(active, (it) => it.length > 0);
      await rigged.rigged.client.workflow.getHandle(first!).terminate('by hand');
      const [second] = await eventually(active, (it) => it.length > 0 && it[0] !== first);
      await rigged.rigged.client.workflow.getHandle(second!).cancel();
      const [third] = await eventually(active, (it) => it.length > 0 && it[0] !== second);
      await to(jobId, 'paused');
      await rigged.rigged.client.workflow.getHandle(third!).terminate('by hand');
      const runs = await endedRuns(rigged, jobId, 3);
      expect(runs.map(({ result }) => result?.reason?.code)).toEqual(['TERMINATED', 'CANCELLED', 'TERMINATED']);
      const { occurrences } = await eventually(
        () => show(jobId),
        ({ activeRuns }) => activeRuns.length === 0,
      );
      expect(occurrences.ran).toBe(3);
      await to(jobId, 'deleted');
    });
  });

  describe.concurrent('the queue', () => {
    it('R3-33, R3-47: repeated deliveries of an envelope create one run', async ({ expect }) => {
      const envelope: Envelope = {
        executionId: `run-${Math.random()}`,
        jobId: null,
        triggeredAt: new Date().toISOString(),
        orchestratorId: 'main',
        origin: 'cli',
        requestedBy: { caller: 'test' },
        targetAction: start('echo', { text: 'direct' }),
        targetRef: null,
      };
      await Promise.all([1, 2, 3].map(() => rigged.dispatcher.dispatch(envelope)));
      const run = await eventually(
        () => rigged.dispatcher.show('main', envelope.executionId),
        ({ result }) => result !== null,
      );
      expect(run).toMatchObject({ origin: 'cli', jobId: null, phase: 'done', output: { text: 'direct' } });
      expect(await rigged.dispatcher.dispatch(envelope)).toEqual({ executionId: envelope.executionId });
      expect(rigged.ended.filter((it) => it.envelope.executionId === envelope.executionId)).toHaveLength(1);
    });

    it('an envelope in the queue of another orchestrator is rejected', async ({ expect }) => {
      const { client, config } = rigged.rigged;
      const workflowId = `strayed-${Math.random()}`;
      const envelope: Envelope = {
        executionId: workflowId,
        jobId: null,
        triggeredAt: new Date().toISOString(),
        orchestratorId: 'other',
        origin: 'cli',
        requestedBy: { caller: 'test' },
        targetAction: start('echo'),
        targetRef: null,
      };
      const taskQueue = `${config.temporal.taskQueue}.main`;
      const run = client.workflow.execute('journeyman.dispatch', { workflowId, taskQueue, args: [envelope] });
      await expect(run).rejects.toMatchObject({ cause: { type: 'ACCESS_DENIED' } });
    });

    it('R3-59: shows its polling workers', async ({ expect }) => {
      expect((await rigged.dispatcher.workers('main')).length).toBeGreaterThan(0);
      expect(await rigged.dispatcher.workers('nobody')).toEqual([]);
    });
  });

  describe.concurrent('changes of a job by others', () => {
    it('SCH-D12: changed times are drift; a lost record is reported and repaired; other jobs are still listed', async ({
      expect,
    }) => {
      const schedule = yearly;
      const { jobId } = await rigged.jobs.create(job({ schedule, name: 'mine' }), 'a');
      const { config } = rigged.rigged;
      await cli(
        ...[
          'schedule',
          'update',
          '-s',
          jobId,
          '--interval',
          '30d',
          '--workflow-id',
          'x',
          '--type',
          'journeyman.dispatch',
        ],
        ...['--task-queue', `${config.temporal.taskQueue}.main`],
      );
      expect(await codeOf(show(jobId))).toBe('SCHEDULE_BROKEN');
      const listed = async () =>
        (await rigged.jobs.list({ orchestratorId: 'main', pageSize: 200 })).items.find((it) => it.jobId === jobId);
      await expect.poll(listed).toMatchObject({ lastResult: { code: 'SCHEDULE_BROKEN' } });
      expect(await codeOf(rigged.jobs.repair('other', jobId))).toBe('JOB_UNKNOWN');
      const repaired = await rigged.jobs.repair('main', jobId);
      expect(repaired).toMatchObject({ changed: true, name: 'mine', state: 'enabled', drift: [] });
      expect(repaired.nextRunAt).toMatch(/-01-01T00:00:00.000Z$/);
    });
  });
});
