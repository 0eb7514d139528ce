import { ProblemError } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import { compensationFailedTag } from '../../engine/outcome.js';
import type { JobSummary, Jobs } from '../jobs-interface.js';
import type { Orchestrators } from '../orchestrators.js';
import type { PipelineSummary, Pipelines } from '../pipelines-interface.js';
import type { BlockedRun, FailureCount, Runs, RunView } from '../runs-interface.js';
import type { ScheduleSummary, Schedules } from '../schedules-interface.js';

/** Sources of the faults that need an operator. */
export interface FaultSources {
  readonly runs: Pick<Runs, 'blocked' | 'list'>;
  readonly pipelines: Pick<Pipelines, 'list'>;
  readonly schedules: Pick<Schedules, 'list'>;
  readonly jobs: Pick<Jobs, 'list'>;
  readonly orchestrators: Pick<Orchestrators, 'all'>;
}

/** A pipeline that is paused, suspended or blocked, with the reason. */
export interface PipelineFault {
  readonly name: string;
  readonly status: PipelineSummary['status'];
  readonly text: string;
}

/** A compensation that failed in the last 24 hours: that of a run, or one that is a run of its own. */
export interface FailedCompensation extends Pick<RunView, 'journeyId' | 'journeyName'> {
  readonly endedAt: string | null;
  readonly text: string;
}

/** A schedule that lost its record or differs from it, whose last run failed, or that had its last run in the last 24 hours. */
export interface ScheduleFault
  extends Pick<ScheduleSummary, 'scheduleId' | 'journeyName' | 'subjectId' | 'state' | 'lastRunAt'> {
  readonly why: 'broken' | 'drifted' | 'failed' | 'exhausted';
  /** The error code of the last run, if it failed. */
  readonly code: string | null;
  readonly text: string;
}

/** A job that cannot run or differs from its record, or whose last run failed or was skipped. */
export interface JobFault extends Pick<JobSummary, 'orchestratorId' | 'jobId' | 'name' | 'state' | 'lastRunAt'> {
  readonly why: 'broken' | 'drifted' | 'failed' | 'missed';
  readonly code: string | null;
  readonly text: string;
}

/** Faults of an installation that need an operator. */
export interface Faults {
  readonly blockedRuns: readonly BlockedRun[];
  readonly failedCompensations: readonly FailedCompensation[];
  readonly pipelines: readonly PipelineFault[];
  readonly schedules: readonly ScheduleFault[];
  readonly jobs: readonly JobFault[];
  /** Parts that could not be read. */
  readonly unavailable: readonly string[];
  /** Jobs whose last run is active, so that it is not known yet whether it fails. */
  readonly activeJobs: readonly string[];
}

/** Number of compensations, of schedules, and of jobs per orchestrator, that are looked at. */
const looked = { compensations: 50, schedules: 200, jobs: 50 };

/** Finds the faults that need an operator. A part that cannot be read is named and does not hide the others. */
export async function findFaults(
  { runs, pipelines, schedules, jobs, orchestrators }: FaultSources,
  now = Date.now(),
): Promise<Faults> {
  const since = formatInstant(now - recentMs);
  const compensations = { tags: [compensationFailedTag], attributes: {}, endedFrom: since };
  const unavailable: string[] = [];
  const activeJobs: string[] = [];
  const part = async <T>(name: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      unavailable.push(name);
      return [];
    }
  };
  const [blockedRuns, failedCompensations, faultyPipelines, faultySchedules, faultyJobs] = await Promise.all([
    part('blockedRuns', () => runs.blocked()),
    part('failedCompensations', async () =>
      (await runs.list({ ...compensations, pageSize: looked.compensations })).items.map(failedCompensation),
    ),
    part('pipelines', async () => (await pipelines.list()).flatMap(pipelineFault)),
    part('schedules', async () =>
      (await schedules.list({ pageSize: looked.schedules })).items.flatMap((it) => scheduleFault(it, since)),
    ),
    part('jobs', async () => {
      const lists = orchestrators.all.map(({ id }) => jobs.list({ orchestratorId: id, pageSize: looked.jobs }));
      const all = (await Promise.all(lists)).flatMap(({ items }) => items);
      for (const { jobId, lastResult } of all) if (lastResult?.outcome === 'running') activeJobs.push(jobId);
      return all.flatMap(jobFault);
    }),
  ]);
  return {
    blockedRuns,
    failedCompensations,
    pipelines: faultyPipelines,
    schedules: faultySchedules,
    jobs: faultyJobs,
    unavailable,
    activeJobs,
  };
}

function failedCompensation({ journeyId, journeyName, endedAt = null }: RunView): FailedCompensation {
  const text = 'Its compensation failed: some of its effects remain. See which calls it made, and undo them.';
  return { journeyId, journeyName, endedAt, text };
}

function pipelineFault({ name, status, pause, problem }: PipelineSummary): PipelineFault[] {
  if (status !== 'paused' && !problem) return [];
  const text = pause?.text ?? problem?.detail ?? problem?.title ?? `See journeyman pipeline show ${name}.`;
  return [{ name, status, text }];
}

function scheduleFault(schedule: ScheduleSummary, since: string): ScheduleFault[] {
  const { scheduleId, journeyName, subjectId, state, lastRunAt, lastResult, note, drift, runsExecuted, maxRuns } =
    schedule;
  const fault = (why: ScheduleFault['why'], text: string, code: string | null = null): ScheduleFault[] => [
    { scheduleId, journeyName, subjectId, state, lastRunAt, why, code, text },
  ];
  if (state === 'broken') return fault('broken', `${note}.`);
  // One that was stopped has runs left.
  const isDone = state === 'exhausted' && runsExecuted !== null && runsExecuted === maxRuns;
  if (isDone && lastRunAt !== null && Date.parse(lastRunAt) >= Date.parse(since))
    return fault('exhausted', `It has had all of its ${maxRuns} runs. Create another if it is still needed.`);
  if (drift.length > 0) return fault('drifted', driftText(drift));
  if (state !== 'active' || lastResult === null || lastResult === 'SUCCEEDED') return [];
  return fault('failed', `Its last run failed with ${lastResult}.`, lastResult);
}

function driftText(drift: readonly string[]): string {
  return `It was changed outside Journeyman: ${drift.join(' ')} Repair it.`;
}

function jobFault({ orchestratorId, jobId, name, state, lastRunAt, lastResult, drift }: JobSummary): JobFault[] {
  const code = lastResult?.code ?? null;
  const fault = (why: JobFault['why'], text: string): JobFault[] => [
    { orchestratorId, jobId, name, state, lastRunAt, why, code, text },
  ];
  if (code === 'SCHEDULE_BROKEN')
    return fault('broken', 'Its Schedule was rewritten outside Journeyman; repair or delete it.');
  if (drift.length > 0 && (state === 'enabled' || state === 'paused')) return fault('drifted', driftText(drift));
  if (state !== 'enabled') return [];
  const said = code === null ? '' : ` with ${code}`;
  if (lastResult?.outcome === 'failed') return fault('failed', `Its last run failed${said}.`);
  return lastResult?.outcome === 'skipped' ? fault('missed', `Its last run was skipped${said}.`) : [];
}

/** Failed runs since an instant. */
export interface RecentFailures {
  readonly since: string;
  readonly count: number;
  readonly of: number | null;
  readonly failures: readonly FailureCount[];
}

/** Open steps of a caller's runs, and its failed runs. */
export interface OwnAttention {
  readonly openSteps: { readonly count: number; readonly of: number | null };
  readonly failed: RecentFailures;
}

const recentMs = 24 * 3_600_000;

/** Counts the open steps and the recent failures among the runs that a caller can access. */
export async function ownAttention(runs: Pick<Runs, 'count'>, now: number): Promise<OwnAttention> {
  const since = formatInstant(now - recentMs);
  const none = { tags: [], attributes: {} };
  const [running, failed] = await Promise.all([
    runs.count({ ...none, phase: 'RUNNING' }),
    runs.count({ ...none, phase: 'FAILED', endedFrom: since }),
  ]);
  const { total: count, of, failures } = failed;
  return { openSteps: { count: running.openSteps, of: running.of }, failed: { since, count, of, failures } };
}
