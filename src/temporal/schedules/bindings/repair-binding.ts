import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import {
  accountedFor,
  type BindingRecord,
  type BindingRequest,
  bindingCadence,
  type CreatedBinding,
  isExhausted,
  logged,
} from '../../../schedules/bindings/binding-record.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { asProblem, isNotFound } from '../../classify-temporal-errors.js';
import { decodeArrayFromPayloads } from '../../sdk-internals.js';
import { keyword, type ScheduleDescription } from '../describe-schedule.js';
import { listExecutions } from '../scheduled-executions.js';
import { journeyAction, readBindingSource } from './binding-action.js';
import { closedAccount } from './binding-occurrence-counts.js';
import { bindingRuns, isSkipped } from './binding-runs.js';
import { type BindingSnapshot, type BindingWrite, bindingNote, bindingSchedule } from './binding-schedule.js';
import { readBindingTags } from './binding-tags.js';
import { generation } from './create-binding.js';

const pageSize = 50;

/** Undoes changes that were made to the Schedule of a binding outside Journeyman; returns whether there were any. */
export async function repairBinding(
  client: Client,
  scheduleId: string,
  by: string,
): Promise<{ snapshot: BindingSnapshot; changed: boolean }> {
  return await bindingSchedule(client, scheduleId).repair(
    async (broken) => {
      if (keyword(broken.raw, 'JourneyOutcome') === 'MIGRATED')
        refuse('SCHEDULE_MIGRATED', `${scheduleId} was migrated to another version.`, { hint: 'Delete it.' });
      const write = stillStopped(await recovered(client, scheduleId, broken), broken);
      return { ...write, record: logged(write.record, by, 'repaired: its action had been rewritten', Date.now()) };
    },
    (found, drift) => {
      if (drift.length === 0) return undefined;
      const write = realigned(found, Date.now());
      return { ...write, record: logged(write.record, by, `repaired: ${drift.join(' ')}`, Date.now()) };
    },
  );
}

/** A schedule that was stopped stays so: the run or request that its record is restored from does not know. */
function stillStopped(write: BindingWrite, broken: ScheduleDescription): BindingWrite {
  const { stopped } = readBindingTags(broken.raw);
  if (stopped === undefined) return write;
  const record = { ...write.record, stopped };
  return { ...write, record, paused: true, note: bindingNote(record), remaining: 0 };
}

/** Times, policies and bound as the record has them. */
function realigned(snapshot: BindingSnapshot, now: number): BindingWrite {
  const { record, paused } = snapshot;
  const times = compile(bindingCadence(record), { now });
  return {
    record: { ...record, ...closedAccount(snapshot, now, times.spec.startAt!) },
    times,
    resetPolicies: true,
    paused: paused || isExhausted(record),
  };
}

/** Restores a lost record from the latest run; before the first, from the history of the run that created the binding. */
async function recovered(client: Client, scheduleId: string, broken: ScheduleDescription): Promise<BindingWrite> {
  const { creator } = readBindingTags(broken.raw);
  return (
    (await fromLastRun(client, scheduleId, broken, creator)) ??
    (await fromCreator(client, scheduleId, broken, creator)) ??
    refuse('SCHEDULE_BROKEN', `The record of ${scheduleId} is lost, and there is no run to restore it from.`, {
      scheduleId,
      hint: 'Delete it, or let its journey create it again with onExisting: upsert.',
    })
  );
}

async function fromLastRun(
  client: Client,
  scheduleId: string,
  broken: ScheduleDescription,
  creator: string | undefined,
): Promise<BindingWrite | undefined> {
  const { infos } = await listExecutions(client, bindingRuns(scheduleId), { pageSize });
  for (const info of infos) {
    const { binding, context } = (info.memo ?? {}) as { binding?: BindingRecord; context?: JsonObject };
    if (!binding || !context || (creator !== undefined && binding.creator !== creator)) continue;
    if (isSkipped(info)) continue;
    const { workflowId, runId, taskQueue } = info;
    const source = await readBindingSource(client, { workflowId, runId }, taskQueue);
    const record = recount(broken, binding, info.closeTime !== undefined);
    return restored(broken, record, context, journeyAction(binding, source));
  }
  return undefined;
}

/** Counts a run that has closed: either it could no longer count itself, or it had, in the record that was lost. */
function recount({ recent, running, overlapSkipped }: ScheduleDescription, binding: BindingRecord, hasClosed: boolean) {
  const ended = recent.filter(({ run }) => !running.some((it) => it.run === run)).map(({ run }) => run);
  const runsExecuted = Math.min(binding.maxRuns, binding.runsExecuted + (hasClosed ? 1 : 0));
  const { holder: _, ...rest } = binding;
  return accountedFor({ ...rest, runsExecuted, overlapSkipped }, ended);
}

function restored(
  { paused, note }: ScheduleDescription,
  counted: BindingRecord,
  context: JsonObject,
  action: BindingWrite['action'] & object,
): BindingWrite {
  const times = compile(bindingCadence(counted), { now: Date.now() });
  const through = new Date(times.spec.startAt!.getTime() - 1).toISOString();
  const record = { ...counted, occurrences: { ...counted.occurrences, through } };
  const exhausted = isExhausted(record);
  return {
    record,
    memo: { context },
    times,
    resetPolicies: true,
    action,
    paused: paused || exhausted,
    note: paused && !exhausted && note !== '' ? note : bindingNote(record),
  };
}

/** A creator is identified by run, state and visit; its request is in the history of that run. */
async function fromCreator(
  client: Client,
  scheduleId: string,
  broken: ScheduleDescription,
  creator: string | undefined,
): Promise<BindingWrite | undefined> {
  if (creator === undefined) return undefined;
  const workflowId = creator.slice(0, creator.indexOf('/'));
  const handle = client.workflow.getHandle(workflowId);
  const history = await handle.fetchHistory().catch((error) => {
    if (isNotFound(error)) return undefined;
    throw asProblem(error);
  });
  for (const event of history?.events ?? []) {
    const request = await requestIn(client, event);
    if (request?.creator !== creator) continue;
    const { runId, taskQueue } = await handle.describe();
    const source = await readBindingSource(client, { workflowId, runId }, taskQueue);
    // A repair does not start a run immediately: the operator may want to check first.
    const { write } = generation(scheduleId, request, source, { ...broken, paused: true });
    const { paused, note } = broken;
    return { ...write, paused, note: paused && note !== '' ? note : bindingNote(write.record) };
  }
  return undefined;
}

/** The request of a schedule task: the input of its activity, or part of the result of its local activity. */
async function requestIn(
  { options: { loadedDataConverter } }: Client,
  { activityTaskScheduledEventAttributes: asked, markerRecordedEventAttributes: marker }: HistoryEvent,
): Promise<BindingRequest | undefined> {
  const first = async (payloads: Payloads | null | undefined) =>
    (await decodeArrayFromPayloads(loadedDataConverter, payloads?.payloads))[0];
  if (asked?.activityType?.name === 'schedule') return (await first(asked.input)) as BindingRequest;
  const answer = marker && ((await first(marker.details?.result)) as Partial<CreatedBinding> | null | undefined);
  return answer?.request;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;
