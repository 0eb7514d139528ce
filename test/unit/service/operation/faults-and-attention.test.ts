import { expect, it } from 'vitest';
import { refuse } from '../../../../src/base/problems/problem.js';
import { compensationFailedTag } from '../../../../src/engine/outcome.js';
import type { JobSummary } from '../../../../src/service/jobs-interface.js';
import { type FaultSources, findFaults, ownAttention } from '../../../../src/service/operation/faults-and-attention.js';
import type { PipelineSummary } from '../../../../src/service/pipelines-interface.js';
import type { RunCounts, RunFilter, RunView } from '../../../../src/service/runs-interface.js';
import type { ScheduleSummary } from '../../../../src/service/schedules-interface.js';

const pipeline = (name: string, rest: Partial<PipelineSummary>) =>
  ({ name, status: 'running', ...rest }) as PipelineSummary;
const schedule = (scheduleId: string, rest: Partial<ScheduleSummary>) =>
  ({
    scheduleId,
    journeyName: 'pay',
    subjectId: null,
    state: 'active',
    lastRunAt: null,
    lastResult: null,
    note: '',
    drift: [],
    runsExecuted: 1,
    maxRuns: 12,
    ...rest,
  }) as ScheduleSummary;
const job = (jobId: string, rest: Partial<JobSummary>) =>
  ({
    orchestratorId: 'main',
    jobId,
    name: null,
    state: 'enabled',
    lastRunAt: null,
    lastResult: null,
    drift: [],
    ...rest,
  }) as JobSummary;

const now = Date.parse('2030-01-31T09:00:00Z');
const asked: RunFilter[] = [];
const sources: FaultSources = {
  runs: {
    blocked: async () => [{ journeyId: 'r', journeyName: 'order', attempt: 4 }],
    list: async (filter) => {
      asked.push(filter);
      return { items: [{ journeyId: 'c', journeyName: 'order', endedAt: '2030-01-31T08:00:00Z' } as RunView] };
    },
  },
  pipelines: {
    list: async () => [
      pipeline('fine', {}),
      pipeline('held', { status: 'paused', pause: { reason: 'suspended', text: 'Suspended since yesterday.' } }),
      pipeline('gone', { status: 'ended' }),
    ],
  },
  schedules: {
    list: async () => ({
      items: [
        schedule('fine', { lastResult: 'SUCCEEDED' }),
        schedule('new', {}),
        schedule('lost', { state: 'broken', note: 'Its action was rewritten' }),
        schedule('failed', { lastResult: 'CARD_DECLINED' }),
        schedule('paused', { state: 'paused', lastResult: 'CARD_DECLINED' }),
        schedule('moved', { drift: ['Temporal will not start it again.'] }),
        schedule('done', { state: 'exhausted', runsExecuted: 12, lastRunAt: '2030-01-31T08:00:00Z' }),
        schedule('done long ago', { state: 'exhausted', runsExecuted: 12, lastRunAt: '2030-01-01T08:00:00Z' }),
        schedule('stopped', { state: 'exhausted', runsExecuted: 3, lastRunAt: '2030-01-31T08:00:00Z' }),
      ],
    }),
  },
  jobs: {
    list: async () => ({
      items: [
        job('fine', { lastResult: { outcome: 'succeeded', code: null } }),
        job('running', { lastResult: { outcome: 'running', code: null } }),
        job('failed', { lastResult: { outcome: 'failed', code: 'HTTP_500' } }),
        job('missed', { lastResult: { outcome: 'skipped', code: 'MISSED' } }),
        job('lost', { lastResult: { outcome: 'failed', code: 'SCHEDULE_BROKEN' } }),
        job('paused', { state: 'paused', lastResult: { outcome: 'failed', code: 'HTTP_500' } }),
        job('moved', { drift: ['Temporal will not start it again.'] }),
      ],
    }),
  },
  orchestrators: { all: [{ id: 'main' }] as never },
};

it('HOME-6 finds blocked, paused, broken, drifted, failed, missed and exhausted things, but not healthy or manually paused ones', async () => {
  const found = await findFaults(sources, now);
  const { blockedRuns, failedCompensations, pipelines, schedules, jobs, unavailable } = found;
  expect(blockedRuns).toEqual([{ journeyId: 'r', journeyName: 'order', attempt: 4 }]);
  expect(pipelines).toEqual([{ name: 'held', status: 'paused', text: 'Suspended since yesterday.' }]);
  expect(schedules.map(({ scheduleId, why, code }) => [scheduleId, why, code])).toEqual([
    ['lost', 'broken', null],
    ['failed', 'failed', 'CARD_DECLINED'],
    ['moved', 'drifted', null],
    ['done', 'exhausted', null],
  ]);
  expect(failedCompensations).toMatchObject([{ journeyId: 'c', text: expect.stringMatching(/undo/) }]);
  expect(asked).toMatchObject([{ tags: [compensationFailedTag], endedFrom: '2030-01-30T09:00:00.000Z' }]);
  expect(jobs.map(({ jobId, why, code }) => [jobId, why, code])).toEqual([
    ['failed', 'failed', 'HTTP_500'],
    ['missed', 'missed', 'MISSED'],
    ['lost', 'broken', 'SCHEDULE_BROKEN'],
    ['moved', 'drifted', null],
  ]);
  expect(unavailable).toEqual([]);
});

it('lists a part that cannot be read as unavailable, and shows the others', async () => {
  const pipelines = { list: async () => refuse('TEMPORAL_UNAVAILABLE') };
  const found = await findFaults({ ...sources, pipelines });
  expect(found).toMatchObject({ pipelines: [], unavailable: ['pipelines'], blockedRuns: [{ journeyId: 'r' }] });
});

it('counts open steps, and failures of the last 24 hours', async () => {
  const asked: RunFilter[] = [];
  const count = async (filter: RunFilter): Promise<RunCounts> => {
    asked.push(filter);
    const failures = [{ code: 'SOLD_OUT', count: 2 }];
    const phases = { RUNNING: 3, SUCCEEDED: 0, FAILED: 2 };
    return { total: filter.phase === 'FAILED' ? 2 : 3, phases, openSteps: 1, failures, otherFailures: 0, of: null };
  };
  expect(await ownAttention({ count }, Date.parse('2030-01-31T09:00:00Z'))).toEqual({
    openSteps: { count: 1, of: null },
    failed: { since: '2030-01-30T09:00:00.000Z', count: 2, of: null, failures: [{ code: 'SOLD_OUT', count: 2 }] },
  });
  expect(asked).toMatchObject([{ phase: 'RUNNING' }, { phase: 'FAILED', endedFrom: '2030-01-30T09:00:00.000Z' }]);
});
