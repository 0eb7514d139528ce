import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { keys } from '../../../workflows/search-attributes.js';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import {
  accountedFor,
  type BindingRecord,
  type BindingRequest,
  cadenceOf,
  isExhausted,
  logged,
  type MadeBinding,
  writtenOut,
} from '../../scheduling/bindings/record.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { asProblem, isNotFound } from '../failures.js';
import { quoted } from '../quoted.js';
import { decodeArrayFromPayloads, executionInfoFromRaw } from '../sdk.js';
import { journeyAction, readSource } from './action.js';
import { type Change, changeBinding, rewrite } from './change.js';
import { fresh } from './create.js';
import { driftOf } from './drift.js';
import { keyword, tagged } from './keywords.js';
import { bindingNote } from './note.js';
import { type Broken, closedAccount, findBroken, runsLeft, type Snapshot } from './snapshot.js';

const looked = 50;
const tries = 10;

/** Makes a Schedule do what its binding says again, whatever Temporal's own tools did to it; returns whether it had to. */
export async function repairBinding(
  client: Client,
  scheduleId: string,
  by: string,
): Promise<{ snapshot: Snapshot; changed: boolean }> {
  let changed = false;
  for (let attempt = 0; attempt < tries; attempt++) {
    const broken = await findBroken(client, scheduleId);
    if (!broken) break;
    if (keyword(broken.raw.searchAttributes?.indexedFields?.JourneyOutcome?.data) === 'MOVED')
      refuse('SCHEDULE_MOVED', `${scheduleId} has moved to another version.`, { hint: 'Delete it.' });
    changed = true;
    const change = await recovered(client, scheduleId, broken);
    const record = logged(change.record, by, 'repaired: its action had been rewritten', Date.now());
    await rewrite(client, broken, { ...change, record });
  }
  const snapshot = await changeBinding(client, scheduleId, randomUUID(), (found) => {
    const drift = driftOf(found, Date.now());
    if (drift.length === 0) return undefined;
    changed = true;
    const change = straightened(found, Date.now());
    return { ...change, record: logged(change.record, by, `repaired: ${drift.join(' ')}`, Date.now()) };
  });
  return { snapshot, changed };
}

/** The cadence, the policies and the bound that the record calls for. */
function straightened(snapshot: Snapshot, now: number): Change {
  const { record, context, running, paused, note, overlapSkipped } = snapshot;
  const { spec, completeUntil } = compile(cadenceOf(record), { now });
  const account = closedAccount(snapshot, now, spec.startAt!);
  return {
    record: { ...writtenOut(record, completeUntil), ...account, overlapSkipped },
    context,
    spec,
    resets: true,
    paused,
    note,
    remaining: runsLeft({ record, running }),
  };
}

/** What a Schedule lost can be found in its latest run; before the first, in the history of the run that made it. */
async function recovered(client: Client, scheduleId: string, broken: Broken): Promise<Change> {
  const { creator } = tagged(broken.raw.searchAttributes);
  return (
    (await fromLastRun(client, scheduleId, broken, creator)) ??
    (await fromCreator(client, scheduleId, broken, creator)) ??
    refuse('SCHEDULE_BROKEN', `Nothing is left from which ${scheduleId} could be repaired.`, {
      scheduleId,
      hint: 'Delete it, or let its journey make it again with onExisting: upsert.',
    })
  );
}

async function fromLastRun(
  client: Client,
  scheduleId: string,
  broken: Broken,
  creator: string | undefined,
): Promise<Change | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const query = `TemporalScheduledById = ${quoted(scheduleId)} AND ExecutionStatus != 'ContinuedAsNew'`;
  const { executions } = await client.workflowService
    .listWorkflowExecutions({ namespace, query, pageSize: looked })
    .catch((error) => Promise.reject(asProblem(error)));
  for (const raw of executions) {
    const info = await executionInfoFromRaw(raw, loadedDataConverter, raw, namespace);
    const { binding, context } = (info.memo ?? {}) as { binding?: BindingRecord; context?: JsonObject };
    if (!binding || !context || (creator !== undefined && binding.creator !== creator)) continue;
    if (info.typedSearchAttributes.get(keys.JourneyOutcome) === 'SKIPPED') continue;
    const { workflowId, runId, taskQueue } = info;
    const source = await readSource(client, { workflowId, runId }, taskQueue);
    return restored(broken, binding, context, info.closeTime !== undefined, journeyAction(binding, source));
  }
  return undefined;
}

/** Counts a run that has ended: either it could no longer count itself, or it had, in the record that was lost. */
function restored(
  { recent, running, paused, note, overlapSkipped }: Broken,
  binding: BindingRecord,
  context: JsonObject,
  hasEnded: boolean,
  action: Change['action'] & object,
): Change {
  const now = Date.now();
  const ended = recent.filter(({ run }) => !running.some((it) => it.run === run)).map(({ run }) => run);
  const runsExecuted = Math.min(binding.maxRuns, binding.runsExecuted + (hasEnded ? 1 : 0));
  const { holder: _, ...rest } = binding;
  const counted = accountedFor({ ...rest, runsExecuted, overlapSkipped }, ended);
  const { spec, completeUntil } = compile(cadenceOf(counted), { now });
  const through = new Date(spec.startAt!.getTime() - 1).toISOString();
  const record = { ...writtenOut(counted, completeUntil), occurrences: { ...counted.occurrences, through } };
  const exhausted = isExhausted(record);
  return {
    record,
    context,
    spec,
    action,
    resets: true,
    paused: paused || exhausted,
    note: paused && !exhausted && note !== '' ? note : bindingNote(record),
    remaining: runsLeft({ record, running }),
  };
}

/** A creator is named by its run, state and visit; its request stands in its history. */
async function fromCreator(
  client: Client,
  scheduleId: string,
  broken: Broken,
  creator: string | undefined,
): Promise<Change | undefined> {
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
    const source = await readSource(client, { workflowId, runId }, taskQueue);
    // It starts nothing at once: whoever repairs it wants to look first.
    const { change } = fresh(scheduleId, request, source, { ...broken, paused: true });
    const { paused, note } = broken;
    return { ...change, paused, note: paused && note !== '' ? note : bindingNote(change.record) };
  }
  return undefined;
}

/** What a schedule task asked for: the input of its activity, or what its local activity answered. */
async function requestIn(
  { options: { loadedDataConverter } }: Client,
  { activityTaskScheduledEventAttributes: asked, markerRecordedEventAttributes: marker }: HistoryEvent,
): Promise<BindingRequest | undefined> {
  const first = async (payloads: Payloads | null | undefined) =>
    (await decodeArrayFromPayloads(loadedDataConverter, payloads?.payloads))[0];
  if (asked?.activityType?.name === 'schedule') return (await first(asked.input)) as BindingRequest;
  const answer = marker && ((await first(marker.details?.result)) as Partial<MadeBinding> | null | undefined);
  return answer?.request;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;
