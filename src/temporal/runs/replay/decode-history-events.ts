import { ApplicationFailure, CancelledFailure, type LoadedDataConverter } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { asPlainJson, unreadableValue } from '../../../../workflows/shared/check-external-payloads.js';
import { isObject, type Json, own } from '../../../base/json/value.js';
import { ownActivityTypes } from '../../../engine/definition/external-activity-types.js';
import { admission } from '../../../language/tasks/external/activity-admission-contract.js';
import {
  decodeArrayFromPayloads,
  decodeMapFromPayloads,
  decodeOptionalFailureToOptionalError,
  tsToMs,
} from '../../sdk-internals.js';
import { decodeChildEvent } from './decode-child-events.js';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Marker of a local activity in the history. */
const localMarker = 'core_local_activity';

/** An event of a history, decoded, as far as a run's replay and trail need it. `of` is the id of the event that it refers to. */
export type RecordedEvent = { readonly id: number; readonly at: number } & (
  | {
      readonly kind: 'started';
      readonly args: unknown[];
      readonly memo: Record<string, unknown>;
      readonly seed: string;
    }
  | { readonly kind: 'workflowTask'; readonly bytes: number; readonly suggested: boolean }
  | { readonly kind: 'taskDone' }
  | { readonly kind: 'taskLost'; readonly message?: string; readonly seed?: string }
  | { readonly kind: 'effect'; readonly name: string; readonly label: string; readonly input: Json }
  | LocalEffect
  | { readonly kind: 'timerSet'; readonly label: string; readonly ms: number }
  | { readonly kind: 'update'; readonly name: string; readonly args: unknown[] }
  | { readonly kind: 'command' }
  | { readonly kind: 'outcome'; readonly outcome: unknown }
  | { readonly kind: 'attempt'; readonly of: number; readonly attempt: number }
  | { readonly kind: 'childStarted'; readonly of: number; readonly workflowId: string; readonly runId: string }
  | { readonly kind: 'answered'; readonly of: number; readonly result: Json }
  | { readonly kind: 'failed'; readonly of: number; readonly failure: Error | undefined }
  | { readonly kind: 'fired'; readonly of: number }
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json | undefined; readonly by: string }
  | { readonly kind: 'cancel'; readonly by: string }
  | { readonly kind: 'continued'; readonly next: string }
  | EndOfExecution
  | { readonly kind: 'other' }
);

interface LocalEffect {
  readonly kind: 'local';
  readonly name: string;
  readonly label: string;
  readonly endedAt: number | undefined;
  readonly result: Json;
  readonly failure?: Error;
}

/** The closing event of a run's last execution. */
export interface EndOfExecution {
  readonly kind: 'end';
  readonly how: 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timedOut';
  readonly outcome?: unknown;
  readonly message?: string;
  readonly code?: string;
}

/** Decodes events. Internal ones become `other`. */
export async function readEvents(events: readonly Event[], converter: LoadedDataConverter): Promise<RecordedEvent[]> {
  const reader = new EventReader(converter);
  const read: RecordedEvent[] = [];
  for (const event of events)
    read.push({ id: Number(event.eventId), at: tsToMs(event.eventTime), ...(await reader.read(event)) });
  return read;
}

type Content = RecordedEvent extends infer E ? (E extends RecordedEvent ? Omit<E, 'id' | 'at'> : never) : never;

class EventReader {
  constructor(private readonly converter: LoadedDataConverter) {}

  async read(event: Event): Promise<Content> {
    return (
      (await this.task(event)) ??
      (await decodeChildEvent(event, this)) ??
      (await this.command(event)) ??
      (await this.arrival(event)) ??
      (await this.end(event)) ?? { kind: 'other' }
    );
  }

  private async task(event: Event): Promise<Content | undefined> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      const memo = started.memo?.fields ? await decodeMapFromPayloads(this.converter, started.memo.fields) : undefined;
      const seed = started.originalExecutionRunId ?? '';
      return { kind: 'started', args: await this.values(started.input), memo: memo ?? {}, seed };
    }
    const task = event.workflowTaskStartedEventAttributes;
    if (task) {
      const { historySizeBytes, suggestContinueAsNew } = task;
      return { kind: 'workflowTask', bytes: Number(historySizeBytes ?? 0), suggested: suggestContinueAsNew === true };
    }
    if (event.workflowTaskCompletedEventAttributes) return { kind: 'taskDone' };
    if (event.workflowTaskTimedOutEventAttributes)
      return { kind: 'taskLost', message: 'No worker finished its task in time' };
    const failed = event.workflowTaskFailedEventAttributes;
    if (!failed) return undefined;
    const cause = proto.temporal.api.enums.v1.WorkflowTaskFailedCause[failed.cause ?? 0] ?? '';
    const name = cause.replace('WORKFLOW_TASK_FAILED_CAUSE_', '');
    if (name === 'RESET_WORKFLOW') return { kind: 'taskLost', seed: failed.newRunId ?? '' };
    // Something arrived while the worker closed the run: the task is simply repeated.
    if (name === 'UNHANDLED_COMMAND') return { kind: 'taskLost' };
    return { kind: 'taskLost', message: `${name}: ${(await this.failure(failed.failure))?.message ?? ''}` };
  }

  private async command(event: Event): Promise<Content | undefined> {
    const effect = event.activityTaskScheduledEventAttributes;
    if (effect) {
      const name = effect.activityType?.name ?? '';
      const values = await this.values(effect.input);
      const label = await this.label(event, name);
      if (ownActivityTypes.has(name)) return { kind: 'effect', name, label, input: (values[0] ?? null) as Json };
      const input = { activity: name, taskQueue: effect.taskQueue?.name ?? '', args: values as Json[] };
      return { kind: 'effect', name: 'activity', label, input };
    }
    const marker = event.markerRecordedEventAttributes;
    if (marker) return marker.markerName === localMarker ? await this.local(event, marker) : { kind: 'command' };
    const timer = event.timerStartedEventAttributes;
    if (timer) return { kind: 'timerSet', label: await this.label(event, ''), ms: tsToMs(timer.startToFireTimeout) };
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    if (update) return { kind: 'update', name: update.name ?? '', args: await this.values(update.args) };
    const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
    if (memo?.outcome)
      return { kind: 'outcome', outcome: (await decodeMapFromPayloads(this.converter, memo))?.outcome };
    const isCommand =
      memo ||
      event.timerCanceledEventAttributes ||
      event.activityTaskCancelRequestedEventAttributes ||
      event.upsertWorkflowSearchAttributesEventAttributes ||
      event.workflowExecutionUpdateCompletedEventAttributes;
    return isCommand ? { kind: 'command' } : undefined;
  }

  private async local(
    event: Event,
    { details, failure }: temporal.api.history.v1.IMarkerRecordedEventAttributes,
  ): Promise<Content> {
    const [facts] = (await this.values(details?.data)) as [LocalFacts | undefined];
    const [result = null] = await this.values(details?.result);
    const error = await this.failure(failure);
    const type = facts?.activity_type ?? '';
    const refused = type === admission ? ((own(result as Json, 'refused') ?? null) as Json) : null;
    // The call itself follows, unless it was refused.
    if (type === admission && !failure && refused === null) return { kind: 'command' };
    const isWorkflow =
      refused !== null || (error instanceof ApplicationFailure && error.type === 'WORKFLOW_NOT_ALLOWED');
    const name = type !== admission ? type : isWorkflow ? 'workflow' : 'activity';
    return {
      kind: 'local',
      name,
      label: await this.label(event, name),
      endedAt: instantOf(facts?.complete_time),
      result: refused ?? (result as Json),
      ...(error && { failure: error }),
    };
  }

  private async arrival(event: Event): Promise<Content | undefined> {
    const started = event.activityTaskStartedEventAttributes;
    if (started)
      return { kind: 'attempt', of: Number(started.scheduledEventId), attempt: Number(started.attempt ?? 1) };
    const done = event.activityTaskCompletedEventAttributes;
    if (done) {
      return { kind: 'answered', of: Number(done.scheduledEventId), result: await this.result(done.result) };
    }
    const lost = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    if (lost) return { kind: 'failed', of: Number(lost.scheduledEventId), failure: await this.failure(lost.failure) };
    const cancelled = event.activityTaskCanceledEventAttributes;
    if (cancelled) {
      const details = await this.values(cancelled.details).catch(() => []);
      const failure = new CancelledFailure('Activity canceled', details);
      return { kind: 'failed', of: Number(cancelled.scheduledEventId), failure };
    }
    const fired = event.timerFiredEventAttributes;
    if (fired) return { kind: 'fired', of: Number(fired.startedEventId) };
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      // A signal may have any bytes as arguments.
      const [payload = null] = await this.values(signal.input).catch(() => [undefined]);
      return { kind: 'signal', name: signal.signalName ?? '', payload: payload as Json, by: signal.identity ?? '' };
    }
    const cancel = event.workflowExecutionCancelRequestedEventAttributes;
    return cancel ? { kind: 'cancel', by: cancel.identity ?? '' } : undefined;
  }

  private async end(event: Event): Promise<Content | undefined> {
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) return { kind: 'continued', next: continued.newExecutionRunId ?? '' };
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) return { kind: 'end', how: 'completed', outcome: (await this.values(completed.result))[0] };
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) {
      const { failure } = failed;
      const [outcome] = await this.values(failure?.applicationFailureInfo?.details);
      const message = (await this.failure(failure))?.message ?? '';
      return { kind: 'end', how: 'failed', outcome, code: failure?.applicationFailureInfo?.type ?? '', message };
    }
    if (event.workflowExecutionCanceledEventAttributes) return { kind: 'end', how: 'cancelled' };
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) return { kind: 'end', how: 'terminated', message: terminated.reason ?? '' };
    return event.workflowExecutionTimedOutEventAttributes ? { kind: 'end', how: 'timedOut' } : undefined;
  }

  /** The label of an event: a state's id and its call. */
  async label({ userMetadata }: Event, otherwise: string): Promise<string> {
    const { summary } = userMetadata ?? {};
    const [text] = summary ? await this.values({ payloads: [summary] }) : [];
    return typeof text === 'string' ? text : otherwise;
  }

  /** A result; that of another worker may have any bytes. */
  async result(given: Payloads): Promise<Json> {
    const payloads = given?.payloads?.map(asPlainJson);
    const [result = null] = await this.values(payloads && { payloads }).catch(() => [unreadableValue]);
    return result as Json;
  }

  async values(payloads: Payloads): Promise<unknown[]> {
    return (await decodeArrayFromPayloads(this.converter, payloads?.payloads)) ?? [];
  }

  async failure(failure: Failure): Promise<Error | undefined> {
    return await decodeOptionalFailureToOptionalError(this.converter, failure).catch(() => {
      // An activity of another worker may send any bytes as details.
      const { message, applicationFailureInfo } = failure ?? {};
      return ApplicationFailure.create({ message: message ?? '', type: applicationFailureInfo?.type ?? '' });
    });
  }
}

/** Data of the SDK's marker of a local activity. */
interface LocalFacts {
  readonly activity_type?: string;
  readonly complete_time?: { readonly seconds?: number; readonly nanos?: number } | string | null;
}

function instantOf(time: LocalFacts['complete_time']): number | undefined {
  if (typeof time === 'string') return Date.parse(time);
  return isObject(time as Json)
    ? Number(time!.seconds ?? 0) * 1000 + Math.floor(Number(time!.nanos ?? 0) / 1e6)
    : undefined;
}
