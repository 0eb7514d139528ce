import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy, type ScheduleSpec } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { journeyArguments, readArguments } from '../../../workflows/input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import { interpreterVersion } from '../../engine/version.js';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { type BindingRecord, isExhausted, isMoved } from '../../scheduling/bindings/record.js';
import { renewedAction } from '../encryption/converter.js';
import { asProblem, isConflict, isNotFound } from '../failures.js';
import {
  decodeArrayFromPayloads,
  encodeMapToPayloads,
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
  encodeToPayloads,
  encodeUnifiedSearchAttributes,
} from '../sdk.js';
import type { JourneyAction } from './action.js';
import { tagsOf } from './keywords.js';
import { type Broken, describeBinding, type RawDescription, type Snapshot } from './snapshot.js';

/** What a binding becomes. */
export interface Change {
  readonly record: BindingRecord;
  readonly context: JsonObject;
  /** A new cadence; otherwise the old one stays. */
  readonly spec?: ScheduleSpec;
  /** A whole new action; otherwise the old one stays, with the new record and context. */
  readonly action?: JourneyAction;
  /** Restores the policies for overlaps and missed times, in case somebody changed them. */
  readonly resets?: true;
  /** Gives future runs this version's interpreter. */
  readonly raises?: true;
  readonly paused: boolean;
  readonly note: string;
  /** How many times the Schedule itself may still start a run: the guard behind our own count. */
  readonly remaining: number;
}

const keptKeys = 20;
const tries = 100;

/** A Schedule with a record of ours, as it was read. */
interface Read {
  readonly raw: RawDescription;
  readonly record: { readonly changes: readonly string[] };
}

/** The parts of a Schedule that a change sets, encoded. */
export interface Written {
  readonly schedule: temporal.api.schedule.v1.ISchedule;
  readonly searchAttributes: Record<string, temporal.api.common.v1.IPayload>;
}

/**
 * The only way a Schedule is changed. `decide` is called with the current state, again whenever another writer came first, and returns what
 * to make of it, or undefined for nothing. What it returns must hold `key` among the record's changes: the key names the change, which is
 * applied once, however often this is called.
 *
 * The server silently drops an update whose conflict token is stale, and the first of two that reach it together; the SDK's `update()`
 * sends no token at all. So a change counts only when the description that follows shows its key.
 */
export async function changeSchedule<S extends Read>(
  client: Client,
  scheduleId: string,
  key: string,
  read: () => Promise<S>,
  decide: (snapshot: S) => Promise<Written | undefined>,
): Promise<S> {
  for (let attempt = 0; attempt < tries; attempt++) {
    // Writers that lost together must not try again together.
    if (attempt > 1) await sleep(Math.random() * Math.min(20 * attempt, 400));
    const snapshot = await read();
    if (snapshot.record.changes.includes(key)) return snapshot;
    const written = await decide(snapshot);
    if (!written) return snapshot;
    await write(client, scheduleId, snapshot.raw, written);
  }
  return refuse('SCHEDULE_BUSY', `The schedule ${scheduleId} could not be changed in ${tries} attempts.`);
}

/** Changes a binding, as above. */
export async function changeBinding(
  client: Client,
  scheduleId: string,
  key: string,
  decide: (snapshot: Snapshot) => Change | undefined | Promise<Change | undefined>,
): Promise<Snapshot> {
  const read = () => describeBinding(client, scheduleId);
  return await changeSchedule(client, scheduleId, key, read, async (snapshot) => {
    const change = await decide(snapshot);
    return change && (await writtenOf(client, snapshot.raw, withKey(change, key)));
  });
}

async function writtenOf(client: Client, raw: RawDescription, change: Change): Promise<Written> {
  return {
    schedule: await encodeChange(client, change, raw.schedule?.action?.startWorkflow),
    searchAttributes: scheduleAttributes(change.record),
  };
}

function withKey(change: Change, key: string): Change {
  const { record } = change;
  const changes = [key, ...record.changes].slice(0, keptKeys);
  return { ...change, record: { ...record, changes, updatedAt: new Date().toISOString() } };
}

/** Gives a Schedule that has lost its binding another one. The next description shows whether that worked. */
export async function rewrite(client: Client, { raw }: Broken, change: Change): Promise<void> {
  await write(client, change.record.scheduleId, raw, await writtenOf(client, raw, change));
}

/** One attempt; the next description shows whether it counted. Only for a Schedule that has lost its record: others use `changeSchedule`. */
export async function write(client: Client, scheduleId: string, raw: RawDescription, written: Written): Promise<void> {
  const { namespace, identity } = client.options;
  await client.workflowService
    .updateSchedule({
      namespace,
      identity,
      requestId: randomUUID(),
      scheduleId,
      conflictToken: raw.conflictToken ?? new Uint8Array(),
      schedule: { ...raw.schedule, ...written.schedule },
      searchAttributes: { indexedFields: written.searchAttributes },
    })
    .catch((error) => {
      // Newer servers do report a stale token; the next description shows the same, or that the Schedule was deleted.
      if (!isConflict(error) && !isNotFound(error)) throw asProblem(error);
    });
}

const day = 86_400_000;

/** Runs never overlap, and whatever came due while the server was away runs late, once. */
const policies = encodeSchedulePolicies({ overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 365 * day });

type StartWorkflow = temporal.api.workflow.v1.INewWorkflowExecutionInfo | null;

/** The parts of a Schedule that a change sets. `before` is the action to keep when the change brings none. */
export async function encodeChange(client: Client, change: Change, before?: StartWorkflow) {
  const { spec, action, context, paused, note, remaining, resets } = change;
  const raises = change.raises === true && (change.record.interpreter ?? 0) < interpreterVersion;
  const record = raises ? { ...change.record, interpreter: interpreterVersion } : change.record;
  const { namespace, loadedDataConverter } = client.options;
  const startWorkflow = action
    ? (await encodeScheduleAction(loadedDataConverter, namespace, action, {})).startWorkflow
    : raises
      ? await withInterpreter(client, before)
      : before && (await renewedAction(client, before));
  const memo = { binding: record, context };
  const fields = { ...startWorkflow?.memo?.fields, ...(await encodeMapToPayloads(loadedDataConverter, memo)) };
  return {
    ...(spec && { spec: encodeScheduleSpec(spec) }),
    ...(resets && { policies }),
    action: { startWorkflow: { ...startWorkflow, memo: { fields } } },
    state: encodeScheduleState({ paused, note, remainingActions: remaining }),
  };
}

/** The action of a Schedule, with its runs interpreted like runs that are started today. */
async function withInterpreter(client: Client, before: StartWorkflow | undefined): Promise<StartWorkflow | undefined> {
  const { loadedDataConverter } = client.options;
  const input = readArguments((await decodeArrayFromPayloads(loadedDataConverter, before?.input?.payloads)) ?? [])!;
  // A newer worker may have been here before us.
  const interpreter = Math.max(input.interpreter ?? 0, interpreterVersion);
  return {
    ...before,
    input: {
      payloads: (await encodeToPayloads(loadedDataConverter, ...journeyArguments({ ...input, interpreter }))) ?? null,
    },
  };
}

/** The search attributes by which a binding is found, encoded. */
export function scheduleAttributes(record: BindingRecord) {
  const values = pairs({
    ScheduleKind: 'binding',
    JourneyName: record.journeyName,
    JourneyVersion: record.journeyVersion,
    JourneyState: record.startStateId,
    ...(record.subjectId !== null && { SubjectId: record.subjectId }),
    ...(isExhausted(record) && { JourneyOutcome: isMoved(record) ? 'MOVED' : 'EXHAUSTED' }),
    JourneyTags: tagsOf(record),
  });
  return encodeUnifiedSearchAttributes(undefined, new TypedSearchAttributes(values));
}
