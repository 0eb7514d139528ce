import { execFileSync } from 'node:child_process';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, describe, inject, it, vi } from 'vitest';
import { ProblemError } from '../../src/base/problems/problem.js';
import { bindingSchedule } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { journeyArguments, readArguments } from '../../workflows/journey/build-workflow-input.js';
import { prepared } from '../support/prepared.js';
import { valuesOf } from './support/encryption.js';
import { journeyOf, type Rig } from './support/rig.js';
import {
  ahead,
  binding,
  type Counting,
  counting,
  createSchedule,
  endedRuns,
  scheduleRig,
  until,
} from './support/schedules.js';
import { temporalCli } from './support/temporal-cli.js';

const _hour = 3_600_000;
const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error));

describe.concurrent('changes of a schedule by others', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());

  const plan = (name: string, options: Counting, n?: number) => createSchedule(rigged, name, options, n);

  /** `temporal schedule update`, which replaces the whole action with its arguments. */
  async function rewriteWithTemporal(id: string): Promise<void> {
    const action = ['--workflow-id', id, '--type', 'journey', '--task-queue', rigged.config.temporal.taskQueue];
    const at = ['--schedule-id', id, '--address', inject('temporalAddress')];
    execFileSync(await temporalCli(), ['schedule', 'update', ...at, '--interval', '30d', ...action]);
  }

  it('FLT-11 a lost record is reported in lists and by every command, and an upsert restores it', async ({
    expect,
  }) => {
    const options = { interval: 'P1D', maxRuns: 5, startAt: ahead(), onExisting: 'upsert' };
    const id = await plan('zombie', options);
    await rewriteWithTemporal(id);
    const listed = async () => (await schedules.list({ subjectId: 'zombie', pageSize: 9 })).items.map((it) => it.state);
    await expect.poll(listed).toEqual(['broken']);
    expect((await schedules.list({ subjectId: 'zombie', state: 'active', pageSize: 9 })).items).toEqual([]);
    const asked = [schedules.show(id), schedules.pause(id, 'x'), schedules.update(id, { maxRuns: 9 })];
    expect(await Promise.all(asked.map((it) => it.catch(codeOf)))).toEqual(Array(3).fill('SCHEDULE_BROKEN'));
    const another = await rigged.start(counting({ name: 'zombie', ...options, onExisting: 'fail' }), {
      user: 'zombie',
      n: 1,
    });
    expect(another.outcome?.error?.code).toBe('SCHEDULE_ALREADY_EXISTS');
    await plan('zombie', options, 7);
    expect(await schedules.show(id)).toMatchObject({ state: 'active', maxRuns: 5, lastContext: { n: 7 }, drift: [] });
    await rewriteWithTemporal(id);
    await schedules.delete(id);
    expect(await schedules.show(id).catch(codeOf)).toBe('SCHEDULE_UNKNOWN');
  });

  it('FLT-11 a run without a record fails with the reason, and the record is repaired from the previous run', async ({
    expect,
  }) => {
    const id = await plan('mended', { interval: 'P1D', maxRuns: 5, startAt: ahead() });
    await schedules.runNow(id, 'r-1');
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    await rewriteWithTemporal(id);
    await rigged.client.schedule.getHandle(id).trigger(ScheduleOverlapPolicy.SKIP);
    const failed = async () => {
      const { recentActions } = (await rigged.client.schedule.getHandle(id).describe()).info;
      const last = recentActions.at(-1)?.action.workflow;
      return last && (await rigged.client.workflow.getHandle(last.workflowId).describe()).status.name;
    };
    await expect.poll(failed).toBe('FAILED');
    // The run that it is repaired from must be in visibility.
    const repaired = await vi.waitFor(() => schedules.repair(id, 'tester'), { timeout: 20_000, interval: 200 });
    expect(repaired).toMatchObject({ changed: true, state: 'active', runsExecuted: 1, maxRuns: 5, interval: 'P1D' });
    expect(repaired).toMatchObject({ lastContext: { n: 1 }, drift: [], log: [{ by: 'tester' }] });
    await schedules.runNow(id, 'r-2');
    await until(rigged, id, ({ record }) => record.runsExecuted === 2);
    expect(await schedules.show(id)).toMatchObject({ lastContext: { n: 2, seen: [0, 1] } });
  });

  it('FLT-11 a record lost before the first run is repaired from the run that created it', async ({ expect }) => {
    const startAt = ahead();
    const id = await plan('unborn', { interval: 'P1D', maxRuns: 5, startAt }, 4);
    await rewriteWithTemporal(id);
    const view = await schedules.repair(id, 'tester');
    expect(view).toMatchObject({ changed: true, state: 'active', runsExecuted: 0, lastContext: { n: 4 }, startAt });
    expect(view.nextRunAt).toBe(startAt);
    expect(await schedules.repair(id, 'tester')).toMatchObject({ changed: false });
  });

  it('FLT-12 times changed by Temporal’s tools are shown as drift, repaired, and reset by an update', async ({
    expect,
  }) => {
    const startAt = ahead();
    const id = await plan('drifted', { interval: 'PT1H', maxRuns: 5, startAt });
    const change = async () => {
      const handle = rigged.client.schedule.getHandle(id);
      await handle.update(({ spec: _, ...before }) => ({ ...before, spec: { intervals: [{ every: '40m' }] } }));
      await expect.poll(async () => (await schedules.show(id)).drift.length).toBe(1);
    };
    expect(await schedules.show(id)).toMatchObject({ drift: [], nextRunAt: startAt });
    await change();
    expect((await schedules.show(id)).drift[0]).toContain('not every hour');
    expect(await schedules.repair(id, 'tester')).toMatchObject({ changed: true, drift: [], nextRunAt: startAt });
    await change();
    expect(await schedules.update(id, { interval: 'PT1H' })).toMatchObject({ drift: [], nextRunAt: startAt });
  });

  it('FLT-13 occurrences during a pause count as missed at once, and a recovered one no longer does', async ({
    expect,
  }) => {
    const id = await plan('paused', { interval: 'PT1S', maxRuns: 500 });
    await until(rigged, id, ({ record }) => record.runsExecuted >= 1);
    await schedules.pause(id, 'pause');
    await until(rigged, id, ({ running }) => running.length === 0);
    const { missed } = (await schedules.show(id)).occurrences;
    const later = async () => (await schedules.show(id)).occurrences.missed;
    await expect.poll(later).toBeGreaterThanOrEqual(missed + 4);
    // A manual run writes the account; a missed occurrence in it can still recover.
    const { record } = await until(rigged, id, () => true);
    await schedules.runNow(id, 'r');
    const written = await until(
      rigged,
      id,
      (it) => it.record.runsExecuted > record.runsExecuted && it.running.length === 0,
    );
    const before = written.record.occurrences;
    const slot = Date.parse(record.occurrences.through) - (Date.parse(record.occurrences.through) % 1000) + 2000;
    const range = { start: new Date(slot), end: new Date(slot), overlap: ScheduleOverlapPolicy.BUFFER_ALL };
    await rigged.client.schedule.getHandle(id).backfill(range);
    const after = await until(rigged, id, (it) => it.record.runsExecuted > written.record.runsExecuted);
    expect(after.record.occurrences.ran).toBe(before.ran + 1);
    await schedules.delete(id);
  });

  it('FLT-14 shows why a run failed, the log of changes, and the result of the last run', async ({ expect }) => {
    const failing = '    after: { type: fail, errorCode: NO_FUNDS, reason: the account is empty }';
    const id = await plan('why', { interval: 'P1D', maxRuns: 9, startAt: ahead(), after: failing });
    await schedules.runNow(id, 'r-1');
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    await schedules.pause(id, 'audit', 'ann');
    await schedules.update(id, { maxRuns: 8 }, 'bob');
    const [run] = await endedRuns(rigged, id);
    const error = { code: 'NO_FUNDS', reason: 'the account is empty' };
    expect(run).toMatchObject({ phase: 'FAILED', terminationKind: 'Fail', error });
    const view = await schedules.show(id);
    expect(view).toMatchObject({ lastResult: 'NO_FUNDS', note: 'audit' });
    expect(view.log.map(({ by, what }) => `${by} ${what}`)).toEqual(['bob set maxRuns 8', 'ann paused: audit']);
    const row = async () => (await schedules.list({ subjectId: 'why', pageSize: 1 })).items[0];
    const shown = { runsExecuted: 1, maxRuns: 8, cadence: view.cadence, lastResult: 'NO_FUNDS', note: 'audit' };
    await expect.poll(row).toMatchObject(shown);
  });

  it('FLT-14 distinguishes cancelled from terminated runs', async ({ expect }) => {
    const slow = '    after: { type: timer, timer: { duration: PT1M }, next: end }';
    const id = await plan('ends', { interval: 'P1D', maxRuns: 9, startAt: ahead(), after: slow });
    const start = async (request: string) => {
      const { executionId } = await schedules.runNow(id, request);
      await until(rigged, id, ({ record }) => record.holder?.id === executionId);
      return rigged.client.workflow.getHandle(executionId);
    };
    await (await start('c')).cancel();
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    await (await start('t')).terminate('by hand');
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 2 && running.length === 0);
    const ends = async () => (await endedRuns(rigged, id)).map(({ terminationKind }) => terminationKind);
    expect(await ends()).toEqual(['Terminated', 'Cancel']);
    expect((await endedRuns(rigged, id))[0]!.error?.reason).toContain('by hand');
  });

  it('FLT-16 the write-back of a run raises the interpreter version of future runs', async ({ expect }) => {
    const id = await plan('older-interpreter', { interval: 'P1D', maxRuns: 5, startAt: ahead() });
    const { client } = rigged;
    const interpreter = async () => {
      const { raw } = await until(rigged, id, () => true);
      const { input } = raw.schedule!.action!.startWorkflow!;
      return readArguments(await valuesOf(client, input!.payloads))!.interpreter;
    };
    const current = await interpreter();
    // The binding as an earlier version would have written it.
    await bindingSchedule(client, id).change('older', async ({ raw, record }) => {
      const { input } = raw.schedule!.action!.startWorkflow!;
      const before = readArguments(await valuesOf(client, input!.payloads))!;
      return { record: { ...record, interpreter: 0 }, args: journeyArguments({ ...before, interpreter: 0 }) };
    });
    expect(await interpreter()).toBe(0);
    await schedules.runNow(id, 'r-1');
    await until(rigged, id, (it) => it.record.runsExecuted === 1 && it.running.length === 0);
    expect(await interpreter()).toBe(current);
  });

  it('FLT-16 a scheduled run that reaches a wait is reported in the log and in the run’s details', async ({
    expect,
  }) => {
    const waiting = '    after: { type: timer, timer: { duration: PT0.1S }, next: end }';
    const definition = journeyOf(
      counting({ name: 'meets', interval: 'P1D', maxRuns: 2, startAt: ahead(), after: waiting }),
    );
    // A document cannot express this: the loader rejects it.
    const wait = { type: 'wait', schema: true, next: 'end' };
    const states = { ...definition.states, after: wait } as unknown as typeof definition.states;
    const errors = vi.spyOn(process.stderr, 'write');
    await rigged.runs.start({
      ...prepared({ ...definition, states }, { user: 'meets', n: 0 }),
      mode: 'sync',
      caller: 'test',
    });
    const { executionId } = await schedules.runNow(binding('meets', 'meets'), 'r');
    const handle = rigged.client.workflow.getHandle(executionId);
    await expect(handle.result()).rejects.toThrow();
    const written = () => errors.mock.calls.map(([text]) => String(text)).join('');
    await expect.poll(written).toContain('reached a state that waits');
    const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(details.currentDetails).toContain('A scheduled run cannot wait for input: it failed at `after`');
  });
});
