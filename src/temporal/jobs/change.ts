import { type Client, ScheduleOverlapPolicy, type ScheduleSpec } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { DispatchMemo } from '../../../workflows/dispatch-input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import { jsonBytes } from '../../json/size.js';
import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { describe } from '../../scheduling/cadence/describe.js';
import { cadenceOf, isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import { changeSchedule, type Written } from '../schedules/change.js';
import {
  encodeMapToPayloads,
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
  encodeUnifiedSearchAttributes,
} from '../sdk.js';
import { dispatchAction, targetName } from './action.js';
import { describeJob, type JobSnapshot } from './snapshot.js';

const keptKeys = 20;
const day = 86_400_000;
/** A server takes 2 MiB, and the job stands in its Schedule twice. */
const mostBytes = 500_000;

/** What a job becomes. Its Schedule is written anew from its record each time: the record says everything. */
export interface JobChange {
  readonly record: JobRecord;
  /** A note that somebody left with Temporal's tools is kept, unless the state changes. */
  readonly note?: string;
  /** Who changes it. */
  readonly by?: string;
  /** Gives its Schedule the times of its cadence, from now on or with more of the same; otherwise they stay, and so does what has just come due. */
  readonly retimes?: true | 'extends';
}

/** The only way a job is changed: read, decide, write, and read again until the change shows. */
export async function changeJob(
  client: Client,
  taskQueue: string,
  { orchestratorId, jobId, key }: { orchestratorId: string; jobId: string; key: string },
  decide: (snapshot: JobSnapshot) => JobChange | undefined | Promise<JobChange | undefined>,
): Promise<JobSnapshot> {
  const read = () => describeJob(client, orchestratorId, jobId);
  return await changeSchedule(client, jobId, key, read, async (snapshot) => {
    const change = await decide(snapshot);
    return change && (await encodeJob(client, taskQueue, { ...change, record: withKey(change.record, key) }));
  });
}

/** The oldest key is the one that the job was made with: whoever makes it again is told so. */
function withKey(record: JobRecord, key: string): JobRecord {
  const { changes } = record;
  const latest = [key, ...changes.slice(0, -1)].slice(0, keptKeys - 1);
  return { ...record, changes: [...latest, ...changes.slice(-1)], updatedAt: new Date().toISOString() };
}

/** A job as its Schedule. */
export async function encodeJob(client: Client, taskQueue: string, change: JobChange): Promise<Written> {
  const { namespace, loadedDataConverter } = client.options;
  const bytes = jsonBytes(change.record as unknown as Json);
  if (bytes > mostBytes)
    refuse('PAYLOAD_TOO_LARGE', `The job has ${bytes} bytes as JSON; the limit is ${mostBytes}.`, {
      hint: 'Give its target less: every run carries the whole job.',
    });
  const cadence = cadenceOf(change.record);
  // What has just come due, and the server has not looked at yet, must still be there.
  const extending = change.retimes === 'extends';
  const { spec, completeUntil } = compile(cadence, { now: Date.now() - (extending ? day : 0) });
  const record: JobRecord = {
    ...change.record,
    ...(change.retimes && completeUntil !== undefined && { writtenUntil: new Date(completeUntil).toISOString() }),
  };
  const action = await encodeScheduleAction(loadedDataConverter, namespace, dispatchAction(record, taskQueue), {});
  const memo: DispatchMemo = { job: record };
  const fields = await encodeMapToPayloads(loadedDataConverter, memo as Record<string, unknown>);
  const overlap = record.allowOverlap ? ScheduleOverlapPolicy.ALLOW_ALL : ScheduleOverlapPolicy.SKIP;
  return {
    schedule: {
      ...(change.retimes && { spec: encodeScheduleSpec(extending ? withoutStart(spec) : spec) }),
      policies: encodeSchedulePolicies({ overlap, catchupWindow: 365 * day }),
      action: { startWorkflow: { ...action.startWorkflow, memo: { fields } } },
      // Whatever is not to run stays paused: the server removes a Schedule that has no future after a week, unless it is paused.
      state: encodeScheduleState({
        paused: record.state !== 'enabled',
        note: change.note ?? noteOf(record, change.by),
      }),
    },
    searchAttributes: attributesOf(record),
  };
}

function withoutStart({ startAt: _, ...spec }: ScheduleSpec): ScheduleSpec {
  return spec;
}

/** What a Schedule's note says about its job, for anyone looking at it with Temporal's own tools. */
function noteOf(record: JobRecord, by?: string): string {
  const what = `${targetName(record.targetAction)}; ${describe(cadenceOf(record))}`;
  const state = record.state === 'enabled' ? '' : `${record.state}${by === undefined ? '' : ` by ${by}`}: `;
  return `${state}${record.name === null ? '' : `${record.name}, `}${what}`.slice(0, 500);
}

function attributesOf(record: JobRecord) {
  const values = pairs({
    ScheduleKind: 'job',
    OrchestratorId: record.orchestratorId,
    JourneyName: targetName(record.targetAction),
    ...(isOver(record) && { JourneyOutcome: record.state.toUpperCase() }),
    JourneyTags: [`updatedAt=${record.updatedAt}`, ...(record.name === null ? [] : [`name=${record.name}`])],
  });
  return encodeUnifiedSearchAttributes(undefined, new TypedSearchAttributes(values));
}
