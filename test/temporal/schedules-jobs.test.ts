import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedRuns, every, type JobRig, job, jobRig, soon, untilTrue } from './support/jobs.js';

let rigged: JobRig;
beforeAll(async () => {
  rigged = await jobRig();
});
afterAll(() => rigged.stop());

describe('a job', () => {
  it('R3-02, R3-15, R3-31, R3-35: fires once at its time, with its inputs, in its orchestrator', async () => {
    const made = await rigged.jobs.create(job({ schedule: soon(), name: 'greeting' }), 'a');
    expect(made).toMatchObject({ state: 'enabled', lastRunAt: null, lastResult: null, drift: [] });
    expect(made.nextRunAt).not.toBeNull();
    const [run, ...others] = await endedRuns(rigged, made.jobId);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      executionId: `${made.jobId}-${made.nextRunAt!.replace('.000', '')}`,
      jobId: made.jobId,
      orchestratorId: 'main',
      origin: 'schedule',
      triggeredAt: made.nextRunAt,
      phase: 'done',
      result: { outcome: 'succeeded', reason: null, occurrences: [{ count: 1, reason: 'run' }] },
    });
    const shown = await rigged.dispatcher.show('main', run!.executionId);
    expect(shown.output).toEqual({ text: 'hi' });
  });

  it('X3-05, SCH-D6: a `once` that has fired is disabled, still there, and cannot be resumed as it is', async () => {
    const { jobId } = await rigged.jobs.create(job({ schedule: soon() }), 'a');
    await endedRuns(rigged, jobId);
    const view = await rigged.jobs.show('main', jobId);
    expect(view).toMatchObject({ state: 'disabled', nextRunAt: null, lastResult: { outcome: 'succeeded' } });
    expect(view.occurrences).toEqual({ ran: 1, missed: 0, overlapped: 0, coalesced: 0 });
    const { items } = await rigged.jobs.list({ orchestratorId: 'main', pageSize: 100, state: 'disabled' });
    expect(items.map((it) => it.jobId)).toContain(jobId);
  });

  it('R3-03, SCH-D2: an interval stays on its anchored grid', async () => {
    const schedule = every(10, Date.now() - 8_000);
    const { jobId, nextRunAt } = await rigged.jobs.create(job({ schedule }), 'a');
    const runs = await untilTrue(
      () => endedRuns(rigged, jobId, 2),
      (it) => it.length >= 2,
    );
    const anchor = Date.parse(schedule.anchorAt as string);
    for (const { triggeredAt } of runs) expect((Date.parse(triggeredAt) - anchor) % 10_000).toBe(0);
    expect(runs.at(-1)?.triggeredAt).toBe(nextRunAt);
  });
});
