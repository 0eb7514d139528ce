import {
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  TimeoutType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { readArguments } from '../../../../workflows/journey/build-workflow-input.js';
import type { Json } from '../../../base/json/value.js';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** The parts of a decoder of histories that events of children need. */
interface Decoder {
  label(event: Event, otherwise: string): Promise<string>;
  values(payloads: Payloads): Promise<unknown[]>;
  /** Of one result, which may have any bytes. */
  result(payloads: Payloads): Promise<Json>;
  failure(failure: temporal.api.failure.v1.IFailure | null | undefined): Promise<Error | undefined>;
}

/** An event of a child workflow. `of` is the id of the event that asked for it. */
export type ChildEvent =
  | { readonly kind: 'effect'; readonly name: 'workflow'; readonly label: string; readonly input: Json }
  | { readonly kind: 'command' }
  | { readonly kind: 'childStarted'; readonly of: number; readonly workflowId: string; readonly runId: string }
  | { readonly kind: 'answered'; readonly of: number; readonly result: Json }
  | { readonly kind: 'failed'; readonly of: number; readonly failure: Error | undefined };

/** Whether an event is one of a child workflow. */
export function isChildEvent(event: Event): boolean {
  return Object.entries(event).some(([name, it]) => it && /^(?:startC|c)hildWorkflow/.test(name));
}

/** Decodes an event of a child workflow; undefined for any other event. */
export async function decodeChildEvent(event: Event, decoder: Decoder): Promise<ChildEvent | undefined> {
  if (!isChildEvent(event)) return undefined;
  const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (initiated) return await request(event, decoder);
  const started = event.childWorkflowExecutionStartedEventAttributes;
  if (started) {
    const { workflowId, runId } = started.workflowExecution ?? {};
    return {
      kind: 'childStarted',
      of: Number(started.initiatedEventId),
      workflowId: workflowId ?? '',
      runId: runId ?? '',
    };
  }
  const done = event.childWorkflowExecutionCompletedEventAttributes;
  if (done) return { kind: 'answered', of: Number(done.initiatedEventId), result: await decoder.result(done.result) };
  const ended = await failureOf(event, decoder);
  return ended && { kind: 'failed', of: Number(ended.of), failure: ended.failure };
}

/** The request of a task names its state; the run of a compensation, which no task asked for, does not. */
async function request(event: Event, decoder: Decoder): Promise<ChildEvent> {
  const { workflowType, workflowId, taskQueue, input } = event.startChildWorkflowExecutionInitiatedEventAttributes!;
  const label = await decoder.label(event, '');
  if (!label.includes(' · ')) return { kind: 'command' };
  const args = await decoder.values(input);
  const name = workflowType?.name ?? '';
  const journey = readArguments(args);
  const asked = journey
    ? { journey: name, input: journey.context }
    : { workflow: name, taskQueue: taskQueue?.name ?? '', id: workflowId ?? '', args: args as Json[] };
  return { kind: 'effect', name: 'workflow', label, input: asked };
}

async function failureOf(event: Event, decoder: Decoder) {
  const refused = event.startChildWorkflowExecutionFailedEventAttributes;
  if (refused) {
    const { workflowId, workflowType, initiatedEventId: of } = refused;
    const message = 'Workflow execution already started';
    return {
      of,
      failure: new WorkflowExecutionAlreadyStartedError(message, workflowId ?? '', workflowType?.name ?? ''),
    };
  }
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) return { of: failed.initiatedEventId, failure: await decoder.failure(failed.failure) };
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  if (cancelled) {
    const details = await decoder.values(cancelled.details).catch(() => []);
    return { of: cancelled.initiatedEventId, failure: new CancelledFailure('Workflow canceled', details) };
  }
  const late = event.childWorkflowExecutionTimedOutEventAttributes;
  if (late)
    return {
      of: late.initiatedEventId,
      failure: new TimeoutFailure('It timed out.', undefined, TimeoutType.START_TO_CLOSE),
    };
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (!terminated) return undefined;
  return { of: terminated.initiatedEventId, failure: new TerminatedFailure('It was terminated.') };
}
