import { randomUUID } from 'node:crypto';
import { type Client, ScheduleOverlapPolicy, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  type DispatchMemo,
  dispatchWorkflow,
  type ExhaustedJob,
} from '../../../../workflows/dispatch/workflow-contract.js';
import { pairs } from '../../../../workflows/shared/run-search-attributes.js';
import { jsonBytes } from '../../../base/json/size.js';
import type { Json } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { BeforeRun } from '../../../schedules/bindings/binding-record.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import { isFinished, type JobRecord, jobCadence } from '../../../schedules/jobs/job-record.js';
import { withOccurrences } from '../../../schedules/occurrence-counts.js';
import { asProblem } from '../../classify-temporal-errors.js';
import { hashOf } from '../bindings/binding-id.js';
import { keyword } from '../describe-schedule.js';
import { ManagedSchedule } from '../managed-schedule.js';
import type { ScheduleKind, ScheduleSnapshot } from '../schedule-kind-interface.js';
import { countExecutions, runsOf, scheduledById, scheduledStartTime } from '../scheduled-executions.js';
import type { ScheduleWrite } from '../write-schedule.js';
import { dispatchAction, queueOf, runAttributes, runSummary, targetName } from './dispatch-action.js';
import { accountSoFar } from './job-occurrence-counts.js';

/** A server accepts 2 MiB, and the Schedule contains the record twice. */
const maxBytes = 500_000;

/** Time for which a run that has just become due may still start. */
const settlingMs = 5_000;

/** A job and its Schedule. `record.state` follows the Schedule: `temporal schedule pause|unpause` decides whether a job is paused. */
export type JobSnapshot = ScheduleSnapshot<JobRecord>;

/** The jobs of one orchestrator, or of all. */
function jobKind(orchestratorId?: string): ScheduleKind<JobRecord, JobSnapshot> {
  const isVisible = (owner: string | undefined) => orchestratorId === undefined || owner === orchestratorId;
  return {
    name: 'job',
    snapshot: (found, record) =>
      isVisible(record.orchestratorId)
        ? { ...found, record: { ...record, state: stateOf(record, found.paused) } }
        : undefined,
    isVisible: ({ raw }) => isVisible(keyword(raw, 'OrchestratorId')),
    refuseUnknown: () => refuse('JOB_UNKNOWN', 'The job does not exist in this orchestrator.'),
    cadence: jobCadence,
    describeCadence: (record) => describeCadence(jobCadence(record)),
    overlap: ({ allowOverlap }) => (allowOverlap ? ScheduleOverlapPolicy.ALLOW_ALL : ScheduleOverlapPolicy.SKIP),
    isOver: isFinished,
    attributes: (record) => ({
      ScheduleKind: 'job',
      OrchestratorId: record.orchestratorId,
      JourneyName: targetName(record.targetAction),
      ...(isFinished(record) && { JourneyOutcome: record.state.toUpperCase() }),
      JourneyTags: [`updatedAt=${record.updatedAt}`, ...(record.name === null ? [] : [`name=${record.name}`])],
    }),
  };
}

function stateOf(record: JobRecord, paused: boolean): JobRecord['state'] {
  if (isFinished(record)) return record.state;
  return paused ? 'paused' : 'enabled';
}

/** The Schedule of a job. With an orchestrator, jobs of others are unknown. */
export function jobSchedule(client: Client, jobId: string, orchestratorId?: string): ManagedSchedule<JobRecord> {
  return new ManagedSchedule(client, jobId, jobKind(orchestratorId));
}

/** A change of a job. */
export interface JobChange {
  readonly record: JobRecord;
  /** Keeps a note that was written with Temporal's tools; otherwise it is generated from the record. */
  readonly note?: string;
  /** Author of the change. */
  readonly by?: string;
  /** Rewrites the start times of the cadence from now on; otherwise they are kept, including a time that has just become due. */
  readonly resetTimes?: boolean;
}

/** Identifies a job, and the change to be applied once. */
export interface JobKey {
  readonly orchestratorId: string;
  readonly jobId: string;
  readonly key?: string;
}

/** Changes a job. Its Schedule is rewritten from its record each time. */
export async function changeJob(
  client: Client,
  taskQueue: string,
  { orchestratorId, jobId, key = randomUUID() }: JobKey,
  decide: (snapshot: JobSnapshot) => JobChange | undefined | Promise<JobChange | undefined>,
): Promise<JobSnapshot> {
  return await jobSchedule(client, jobId, orchestratorId).change(key, async (snapshot) => {
    const change = await decide(snapshot);
    return change && jobContents(taskQueue, change);
  });
}

/** The contents of a job's Schedule. */
export function jobContents(
  taskQueue: string,
  { record, note, by, resetTimes }: JobChange,
): ScheduleWrite<JobRecord> & { note: string } {
  const bytes = jsonBytes(record as unknown as Json);
  if (bytes > maxBytes)
    refuse('PAYLOAD_TOO_LARGE', `The job has ${bytes} bytes as JSON; the limit is ${maxBytes}.`, {
      hint: 'Reduce the inputs of its target; every run contains the whole job.',
    });
  return {
    record,
    // Temporal lists the next times even of a paused Schedule: a deleted job has none.
    ...(record.state === 'deleted'
      ? { times: { spec: {} } }
      : resetTimes && { times: compile(jobCadence(record), { now: Date.now() }) }),
    resetPolicies: true,
    action: dispatchAction(record, taskQueue),
    // A job that must not run stays paused: the server removes a Schedule without a future after a week, unless it is paused.
    paused: record.state !== 'enabled',
    note: note ?? noteOf(record, by),
  };
}

/** The note of a job's Schedule, for Temporal's own tools. */
function noteOf(record: JobRecord, by?: string): string {
  const what = `${targetName(record.targetAction)}; ${describeCadence(jobCadence(record))}`;
  const state = record.state === 'enabled' ? '' : `${record.state}${by === undefined ? '' : ` by ${by}`}: `;
  return `${state}${record.name === null ? '' : `${record.name}, `}${what}`.slice(0, 500);
}

/**
 * Disables a one-off job whose time has passed. Its run usually does so itself; this is for a run that was terminated or never started. The
 * server removes a Schedule without future runs after a week, unless it is paused.
 */
export async function settleJob(
  client: Client,
  taskQueue: string,
  orchestratorId: string,
  jobId: string,
): Promise<JobSnapshot> {
  return await changeJob(client, taskQueue, { orchestratorId, jobId }, async (found) => {
    const { record, running, buffered, next } = found;
    if (record.state !== 'enabled' || running.length > 0 || buffered > 0 || next.length > 0) return undefined;
    const cadence = jobCadence(record);
    if (cadence.kind !== 'once' || cadence.at + settlingMs > Date.now()) return undefined;
    // A Schedule does not follow runs that may overlap.
    if (record.allowOverlap && (await countExecutions(client, `${runsOf(jobId)} AND ExecutionStatus = 'Running'`)) > 0)
      return undefined;
    return await disabled(client, found);
  });
}

/** Disables a one-off job, as the last step of its run, unless its time was changed in the meantime. */
export async function exhaustJob(
  client: Client,
  taskQueue: string,
  { jobId, executionId, occurrences }: ExhaustedJob,
): Promise<void> {
  const found = await jobSchedule(client, jobId).find();
  if (!found) return;
  const { orchestratorId } = found.record;
  const key = `${executionId} exhausted`;
  await changeJob(client, taskQueue, { orchestratorId, jobId, key }, async (snapshot) => {
    const cadence = jobCadence(snapshot.record);
    if (isFinished(snapshot.record) || cadence.kind !== 'once' || cadence.at > Date.now()) return undefined;
    // The run is still open: the result of its time is not recorded anywhere else yet.
    const through = new Date().toISOString();
    const account = { ...withOccurrences(snapshot.record.account, occurrences), through };
    return { record: { ...snapshot.record, state: 'disabled', account } };
  });
}

async function disabled(client: Client, found: JobSnapshot): Promise<JobChange> {
  return { record: { ...found.record, state: 'disabled', account: await accountSoFar(client, found) } };
}

/** Prepares a run outside the cadence, for `startJobNow`; throws if none may start. */
export async function prepareJobRun(client: Client, jobId: string): Promise<BeforeRun> {
  const managed = jobSchedule(client, jobId);
  const snapshot = await managed.read();
  const { record, running } = snapshot;
  if (isFinished(record)) refuse('JOB_STATE', `The job is ${record.state}.`, { hint: 'Enable it first.' });
  if (running.length > 0 && !record.allowOverlap) managed.refuseActive(snapshot);
  return managed.beforeRun(snapshot, record.account.through);
}

/** Starts a run and returns its execution id. The same `request` never starts two. */
export async function startJobNow(
  client: Client,
  taskQueue: string,
  jobId: string,
  before: BeforeRun,
  request: string,
): Promise<string> {
  const managed = jobSchedule(client, jobId);
  const { record } = await managed.read();
  if (record.allowOverlap) return await startBeside(client, taskQueue, record, before, request);
  return await managed.runNow(before);
}

/**
 * A Schedule that lets runs overlap names a run by its second, and terminates the first of two that are triggered in one. It follows
 * neither, so nothing is lost if the run is started beside it, with the same memo and search attributes.
 */
async function startBeside(
  client: Client,
  taskQueue: string,
  job: JobRecord,
  { nominal }: BeforeRun,
  request: string,
): Promise<string> {
  const { jobId, orchestratorId } = job;
  const at = new Date(nominal);
  const workflowId = `${jobId}-${at.toISOString()}-${hashOf([request])}`;
  const memo: DispatchMemo = { job };
  try {
    await client.workflow.start(dispatchWorkflow, {
      workflowId,
      taskQueue: queueOf(taskQueue, orchestratorId),
      args: [],
      memo: { ...memo },
      typedSearchAttributes: new TypedSearchAttributes([
        ...pairs(runAttributes(job)),
        { key: scheduledById, value: jobId },
        { key: scheduledStartTime, value: at },
      ]),
      staticSummary: runSummary(job),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asProblem(error);
  }
  return workflowId;
}
