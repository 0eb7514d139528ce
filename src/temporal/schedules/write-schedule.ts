import { randomUUID } from 'node:crypto';
import {
  type Client,
  type CompiledScheduleOptions,
  ScheduleNotFoundError,
  type ScheduleSpec,
} from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { pairs } from '../../../workflows/shared/run-search-attributes.js';
import { day } from '../../schedules/cadence/cadence.js';
import { asProblem, isConflict, isNotFound } from '../classify-temporal-errors.js';
import { renewedAction } from '../encryption/data-converter.js';
import {
  encodeMapToPayloads,
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
  encodeToPayloads,
  encodeUnifiedSearchAttributes,
} from '../sdk-internals.js';
import type { RawDescription, ScheduleDescription } from './describe-schedule.js';
import type { ManagedRecord, ScheduleKind, ScheduleSnapshot } from './schedule-kind-interface.js';

/** New contents of a Schedule. Omitted fields stay unchanged. */
export interface ScheduleWrite<R> {
  readonly record: R;
  /** Fields of the action's memo beside the record. */
  readonly memo?: Readonly<Record<string, unknown>>;
  /** New start times. */
  readonly times?: ScheduleTimes;
  /** Restores overlap policy and catch-up window, in case they were changed. */
  readonly resetPolicies?: boolean;
  readonly action?: CompiledScheduleOptions['action'];
  /** New arguments of the action. */
  readonly args?: unknown[];
  readonly paused?: boolean;
  readonly note?: string;
  /** Remaining actions of the Schedule, as a guard in addition to our own count. */
  readonly remaining?: number;
}

/** Start times of a Schedule, as `compile` returns them. */
export interface ScheduleTimes {
  readonly spec: ScheduleSpec;
  /** Irregular start times are listed up to this time. */
  readonly completeUntil?: number;
}

/** Parts of a Schedule, encoded. */
export interface EncodedSchedule {
  readonly schedule: temporal.api.schedule.v1.ISchedule;
  readonly searchAttributes: Record<string, temporal.api.common.v1.IPayload>;
}

/** Encodes new contents of a Schedule. `before` is the Schedule as it is; without it, it is being created. */
export async function encodeWrite<R extends ManagedRecord, S extends ScheduleSnapshot<R>>(
  client: Client,
  kind: ScheduleKind<R, S>,
  write: ScheduleWrite<R>,
  before?: ScheduleDescription,
): Promise<EncodedSchedule> {
  const { namespace, loadedDataConverter } = client.options;
  const { action, args, times, remaining } = write;
  const record = times ? withWrittenUntil(write.record, times.completeUntil) : write.record;
  const kept = before?.raw.schedule?.action?.startWorkflow;
  const startWorkflow = action
    ? (await encodeScheduleAction(loadedDataConverter, namespace, action, {})).startWorkflow
    : kept && (await renewedAction(client, kept));
  const payloads = args && (await encodeToPayloads(loadedDataConverter, ...args));
  const memo = await encodeMapToPayloads(loadedDataConverter, { ...write.memo, [kind.name]: record });
  const left = remaining ?? kind.runsLeft?.({ record, running: before?.running ?? [] });
  return {
    schedule: {
      ...(times && { spec: encodeScheduleSpec(times.spec) }),
      ...((write.resetPolicies || !before) && {
        policies: encodeSchedulePolicies({ overlap: kind.overlap(record), catchupWindow: 365 * day }),
      }),
      action: {
        startWorkflow: {
          ...startWorkflow,
          ...(payloads && { input: { payloads } }),
          memo: { fields: { ...startWorkflow?.memo?.fields, ...memo } },
        },
      },
      state: encodeScheduleState({
        paused: write.paused ?? before?.paused ?? false,
        note: write.note ?? before?.note ?? '',
        ...(left !== undefined && { remainingActions: left }),
      }),
    },
    searchAttributes: encodeUnifiedSearchAttributes(
      undefined,
      new TypedSearchAttributes(pairs(kind.attributes(record))),
    ),
  };
}

function withWrittenUntil<R extends ManagedRecord>(record: R, completeUntil: number | undefined): R {
  const { writtenUntil: _, ...rest } = record;
  return {
    ...(rest as R),
    ...(completeUntil !== undefined && { writtenUntil: new Date(completeUntil).toISOString() }),
  };
}

/** Makes one attempt to update a Schedule; the next description shows whether it succeeded. Schedules with a record use `change`. */
export async function writeSchedule(
  client: Client,
  scheduleId: string,
  before: RawDescription,
  { schedule, searchAttributes }: EncodedSchedule,
): Promise<void> {
  const { namespace, identity } = client.options;
  await client.workflowService
    .updateSchedule({
      namespace,
      identity,
      requestId: randomUUID(),
      scheduleId,
      conflictToken: before.conflictToken ?? new Uint8Array(),
      schedule: { ...before.schedule, ...schedule },
      searchAttributes: { indexedFields: searchAttributes },
    })
    .catch((error) => {
      // Newer servers report a stale token; the next description shows the same, or that the Schedule was deleted.
      if (!isConflict(error) && !isNotFound(error)) throw asProblem(error);
    });
}

/** Deletes a Schedule; false if it does not exist. */
export async function deleteSchedule(client: Client, scheduleId: string): Promise<boolean> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError || isNotFound(error)) return false;
    throw asProblem(error);
  }
}
