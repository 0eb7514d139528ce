import type { Client } from '@temporalio/client';
import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { readArguments } from '../../../../workflows/journey/build-workflow-input.js';
import { type JourneyInput, names, type StepSubmission } from '../../../../workflows/journey/workflow-contract.js';
import { answerOf, failedAnswer, journeyAnswer } from '../../../../workflows/shared/external-activity-answer.js';
import { isObject, type Json, own } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import { type ExternalAnswer, ownActivityTypes } from '../../../engine/definition/external-activity-types.js';
import type { Outcome } from '../../../engine/outcome.js';
import { admission } from '../../../language/tasks/external/activity-admission-contract.js';
import { asProblem } from '../../classify-temporal-errors.js';
import {
  decodeArrayFromPayloads,
  decodeMapFromPayloads,
  decodeOptionalFailureToOptionalError,
  tsToMs,
} from '../../sdk-internals.js';
import { isChildEvent } from '../replay/decode-child-events.js';
import { type RecordedEvent, readEvents } from '../replay/decode-history-events.js';

type Event = temporal.api.history.v1.IHistoryEvent;

const abandoned = proto.temporal.api.enums.v1.ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON;

/** The result of an effect. */
export interface RecordedAnswer {
  /** The effect and its state. */
  name: string;
  label: string;
  /** Absent if the run ended or cancelled the effect first. */
  answer?: Json;
  ms: number;
}

/** A requested effect with its time. */
interface Asked {
  effect: RecordedAnswer;
  at: number;
  /** Another journey. */
  isJourney?: true;
  /** A child that outlives the run: it may be detached, and then its start is the answer. */
  isAbandoned?: true;
}

/** A submission or signal to a run. */
export interface RecordedInput {
  step: string;
  payload: Json;
  /** Milliseconds since the start. */
  atMs: number;
  signal?: true;
}

/** A run as recorded in its history. */
export interface RecordedRun {
  input: JourneyInput;
  startedAt: number;
  /** In the order of their requests. */
  answers: RecordedAnswer[];
  inputs: RecordedInput[];
  /** Time of the cancel request since the start. */
  cancelledAtMs?: number;
  /** Absent while it is running. */
  outcome?: Outcome;
}

/** Reads a run from the history of all its executions. */
export async function recordedRun(client: Client, id: string): Promise<RecordedRun> {
  const events: Event[] = [];
  const failed = (error: unknown) => Promise.reject(asProblem(error));
  const { raw } = await client.workflow.getHandle(id).describe().catch(failed);
  let runId = raw.workflowExecutionInfo?.firstRunId || undefined;
  do {
    const { events: some } = await client.workflow.getHandle(id, runId).fetchHistory().catch(failed);
    events.push(...(some ?? []));
    runId = some?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  } while (runId);
  return await readRecordedRun(events, client.options.loadedDataConverter);
}

/** Reads a run from the events of its history. */
export async function readRecordedRun(events: readonly Event[], converter: LoadedDataConverter): Promise<RecordedRun> {
  const values = async (payloads: temporal.api.common.v1.IPayloads | null | undefined) =>
    ((await decodeArrayFromPayloads(converter, payloads?.payloads)) ?? []) as Json[];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const input = readArguments(await values(started?.input));
  if (!input) return refuse('SCENARIO_RECORD', 'It is not a run of a journey.');
  const startedAt = tsToMs(events[0]!.eventTime);
  const run: RecordedRun = { input, startedAt, answers: [], inputs: [] };
  const asked = new Map<string, Asked>();
  const handedBack: Asked[] = [];
  /** Records the request of an effect, the first one or a retry. */
  const ask = (name: string, label: string, at: number): Asked => {
    const again = handedBack.findIndex(({ effect }) => effect.name === name && effect.label === label);
    if (again >= 0) return handedBack.splice(again, 1)[0]!;
    const effect: RecordedAnswer = { name, label, ms: 0 };
    run.answers.push(effect);
    return { effect, at };
  };
  const take = (it: Asked, answer: Json, ms: number) => {
    if (isObject(own(answer, 'retryLater'))) handedBack.push(it);
    else Object.assign(it.effect, { answer, ms });
  };
  for (const event of events) {
    const atMs = tsToMs(event.eventTime) - startedAt;
    const scheduled = event.activityTaskScheduledEventAttributes;
    const done = event.activityTaskCompletedEventAttributes;
    const marker = event.markerRecordedEventAttributes;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    const signal = event.workflowExecutionSignaledEventAttributes;
    const label = async () => {
      const summary = event.userMetadata?.summary;
      return String((await values(summary ? { payloads: [summary] } : undefined))[0] ?? '');
    };
    const lost = event.activityTaskTimedOutEventAttributes;
    const ended = done ?? lost ?? event.activityTaskFailedEventAttributes ?? event.activityTaskCanceledEventAttributes;
    const it = asked.get(String(ended?.scheduledEventId));
    if (scheduled) {
      const type = scheduled.activityType?.name ?? '';
      const name = ownActivityTypes.has(type) ? type : 'activity';
      asked.set(String(event.eventId), ask(name, await label(), atMs));
    }
    const child = await childOf(event, converter);
    if (child?.kind === 'effect') {
      const isJourney = own(child.input, 'journey') !== undefined;
      const { parentClosePolicy } = event.startChildWorkflowExecutionInitiatedEventAttributes ?? {};
      const isAbandoned = parentClosePolicy === abandoned;
      const more = { ...(isJourney && { isJourney }), ...(isAbandoned && { isAbandoned }) };
      asked.set(String(event.eventId), { ...ask(child.name, child.label, atMs), ...more });
    }
    const external =
      child && 'of' in child ? asked.get(String(child.of)) : it?.effect.name === 'activity' ? it : undefined;
    if (external?.isAbandoned && child?.kind === 'childStarted') {
      const { workflowId, runId } = child;
      take(external, { ok: true, value: { workflowId, runId } }, Math.max(0, atMs - external.at));
    } else if (external) {
      const answer = await externalAnswer(event, converter);
      const seen = answer && external.isJourney ? journeyAnswer(answer) : answer;
      if (seen) take(external, seen as Json, Math.max(0, atMs - external.at));
    } else if (it && done) {
      const [answer = null] = await values(done.result);
      take(it, answer, Math.max(0, atMs - it.at));
    }
    // The run requests it again, or continues without a result.
    else if (it && lost) handedBack.push(it);
    if (marker?.markerName === 'core_local_activity' && !marker.failure) {
      const [answer = null] = await values(marker.details?.result);
      const [about] = await values(marker.details?.data);
      const name = isObject(about) ? String(about.activity_type) : '';
      if (name !== admission) take(ask(name, await label(), atMs), answer, 0);
      const refused = name === admission ? own(answer, 'refused') : undefined;
      if (refused !== undefined) take(ask('workflow', await label(), atMs), refused, 0);
    }
    if (update?.name === names.submitStep) {
      const [submission] = (await values(update.args)) as unknown as [StepSubmission];
      run.inputs.push({ step: submission.stepId, payload: submission.payload, atMs });
    }
    if (signal) {
      const [payload = {}] = await values(signal.input);
      run.inputs.push({ step: signal.signalName ?? '', payload, atMs, signal: true });
    }
    if (event.workflowExecutionCancelRequestedEventAttributes) run.cancelledAtMs ??= atMs;
    const outcome = await outcomeIn(event, converter);
    if (outcome) run.outcome = outcome;
  }
  return run;
}

/** An event of a child workflow that a task asked for. */
async function childOf(event: Event, converter: LoadedDataConverter): Promise<RecordedEvent | undefined> {
  if (!isChildEvent(event)) return undefined;
  const [decoded] = await readEvents([event], converter);
  return decoded?.kind === 'command' ? undefined : decoded;
}

/** The answer of a call of another worker. */
async function externalAnswer(event: Event, converter: LoadedDataConverter): Promise<ExternalAnswer | undefined> {
  const [ended] = await readEvents([event], converter);
  if (ended?.kind === 'answered') return answerOf(ended.result);
  return ended?.kind === 'failed' ? failedAnswer(ended.failure, false) : undefined;
}

/** The outcome in a closing event; a cancelled run recorded its own before. */
async function outcomeIn(event: Event, converter: LoadedDataConverter): Promise<Outcome | undefined> {
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const [outcome] = (await decodeArrayFromPayloads(converter, completed.result?.payloads)) ?? [];
    return outcome as Outcome;
  }
  const failure = event.workflowExecutionFailedEventAttributes?.failure;
  if (failure) {
    const error = await decodeOptionalFailureToOptionalError(converter, failure);
    return error instanceof ApplicationFailure ? (error.details?.[0] as Outcome | undefined) : undefined;
  }
  const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
  return memo?.outcome ? ((await decodeMapFromPayloads(converter, memo))?.outcome as Outcome) : undefined;
}
