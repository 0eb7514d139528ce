import { arrayFromPayloads, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { activator } from './sdk-internals.js';

/** Start of the text that replaces an unreadable value. */
const mark = '(unreadable: ';

/** Such a text without a reason. */
export const unreadableValue = `${mark}unknown)`;

/** Whether a value from outside is JSON: neither bytes, which would look like an object, nor unreadable. */
export function isReadable(value: unknown): boolean {
  return !ArrayBuffer.isView(value) && !(typeof value === 'string' && value.startsWith(mark));
}

/*
 * A signal may have any bytes as arguments, and so may the results and failures of activities and workflows that are not ours. Unreadable ones (an unknown
 * encoding, invalid JSON) would fail every attempt of their workflow task: the run would be blocked for ever, and could not be replayed
 * either. So a text with the reason replaces them, and is rejected like any other invalid value. This module is loaded once for every run.
 */
if (activator) {
  const signal = activator.signalWorkflow.bind(activator);
  activator.signalWorkflow = (job) => {
    // The SDK fails the task of a signal with a reserved name.
    if (job.signalName?.startsWith('__temporal_') && !activator?.signalHandlers.has(job.signalName)) return;
    const problem = unreadable(job.input);
    signal(problem === undefined ? job : { ...job, input: [textPayload(problem)] });
  };

  const activity = activator.resolveActivity.bind(activator);
  activator.resolveActivity = (job) => {
    const { completed, failed, cancelled } = job.result ?? {};
    if (completed?.result) completed.result = readable(completed.result);
    makeReadable(failed?.failure);
    makeReadable(cancelled?.failure);
    activity(job);
  };

  const child = activator.resolveChildWorkflowExecution.bind(activator);
  activator.resolveChildWorkflowExecution = (job) => {
    const { completed, failed, cancelled } = job.result ?? {};
    if (completed?.result) completed.result = readable(completed.result);
    makeReadable(failed?.failure);
    makeReadable(cancelled?.failure);
    child(job);
  };
}

type Payloads = Parameters<typeof arrayFromPayloads>[1];

function unreadable(payloads: Payloads): string | undefined {
  try {
    arrayFromPayloads(defaultPayloadConverter, payloads);
    return undefined;
  } catch (error) {
    return `${mark}${error instanceof Error ? error.message : String(error)})`;
  }
}

/** The payload itself, or a text with the reason. */
function readable(given: Payload): Payload {
  const payload = asPlainJson(given);
  const problem = unreadable([payload]);
  return problem === undefined ? payload : textPayload(problem);
}

const encodings = { proto: 'json/protobuf', plain: 'json/plain' };

/** A protocol buffer in JSON, as other SDKs send it, as JSON. */
export function asPlainJson(payload: Payload): Payload {
  const { metadata } = payload;
  if (!metadata?.encoding || String.fromCharCode(...metadata.encoding) !== encodings.proto) return payload;
  const encoding = Uint8Array.from(encodings.plain, (char) => char.charCodeAt(0));
  return { ...payload, metadata: { encoding } };
}

/** The part of a failure in the protocol that has payloads. */
interface Failure {
  cause?: Failure | null;
  encodedAttributes?: Payload | null;
  applicationFailureInfo?: { details?: { payloads?: Payload[] | null } | null } | null;
  canceledFailureInfo?: { details?: { payloads?: Payload[] | null } | null } | null;
  timeoutFailureInfo?: { lastHeartbeatDetails?: { payloads?: Payload[] | null } | null } | null;
}

/** Replaces the unreadable payloads of a failure and its causes. */
function makeReadable(given: Failure | null | undefined): void {
  for (let failure = given; failure; failure = failure.cause) {
    if (failure.encodedAttributes && unreadable([failure.encodedAttributes]) !== undefined)
      failure.encodedAttributes = null;
    const { applicationFailureInfo, canceledFailureInfo, timeoutFailureInfo } = failure;
    const lists = [
      applicationFailureInfo?.details,
      canceledFailureInfo?.details,
      timeoutFailureInfo?.lastHeartbeatDetails,
    ];
    for (const list of lists) if (list?.payloads) list.payloads = list.payloads.map(readable);
  }
}

function textPayload(text: string): Payload {
  return defaultPayloadConverter.toPayload(text)!;
}
