import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/common';
import { type DispatchMemo, dispatchWorkflow } from '../../../workflows/dispatch-input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import { refuse } from '../../problems/problem.js';
import type { BeforeRun } from '../../scheduling/bindings/record.js';
import { cadenceOf, isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import { asProblem } from '../failures.js';
import { hashOf } from '../schedules/binding-id.js';
import { nominalTime, trigger } from '../schedules/trigger.js';
import { queueOf, runAttributes, summaryOf } from './action.js';
import { findJob, type JobSnapshot } from './snapshot.js';

const scheduledBy = defineSearchAttributeKey('TemporalScheduledById', SearchAttributeType.KEYWORD);
const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

async function describe(client: Client, jobId: string): Promise<JobSnapshot> {
  return (await findJob(client, jobId)) ?? refuse('JOB_UNKNOWN', 'The job has been removed.');
}

/** Refuses when no run may start; returns what `startJobNow` needs to find its own run again. */
export async function prepareJobRun(client: Client, jobId: string): Promise<BeforeRun> {
  const snapshot = await describe(client, jobId);
  const { record, running, recent, overlapSkipped } = snapshot;
  if (isOver(record)) refuse('JOB_STATE', `The job is ${record.state}.`, { hint: 'Enable it first.' });
  if (running.length > 0 && !record.allowOverlap) refuseActive(snapshot);
  const through = Date.parse(record.account.through);
  return { nominal: nominalTime(cadenceOf(record), through, Date.now(), recent), overlapSkipped };
}

/** Starts a run and returns its execution id. `request` names who asks: the same one never starts two. */
export async function startJobNow(
  client: Client,
  taskQueue: string,
  jobId: string,
  before: BeforeRun,
  request: string,
): Promise<string> {
  const { record } = await describe(client, jobId);
  if (record.allowOverlap) return await startBeside(client, taskQueue, record, before, request);
  const after = await trigger(client, jobId, 'skip', before, () => describe(client, jobId));
  const started = after.recent.find(({ nominal }) => nominal === before.nominal);
  return started ? started.id : refuseActive(after);
}

/**
 * A Schedule that lets runs overlap names a run by its second, and terminates the first of two that are triggered in one. It follows
 * neither, so nothing is lost when the run is started beside it, with the same memo and marks.
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
        { key: scheduledBy, value: jobId },
        { key: scheduledStart, value: at },
      ]),
      staticSummary: summaryOf(job),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asProblem(error);
  }
  return workflowId;
}

function refuseActive({ running }: JobSnapshot): never {
  const active = running[0]?.id;
  return refuse('RUN_ACTIVE', active ? `The run ${active} is active.` : 'A run was active.', {
    ...(active && { executionId: active }),
  });
}
