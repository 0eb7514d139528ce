import type { Client } from '@temporalio/client';
import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { type JourneyInput, names, readArguments, type StepSubmission } from '../../workflows/input.js';
import type { Outcome } from '../engine/outcome.js';
import { isObject, type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { asProblem } from './failures.js';
import { decodeArrayFromPayloads, decodeMapFromPayloads, decodeOptionalFailureToOptionalError, tsToMs } from './sdk.js';

type Event = temporal.api.history.v1.IHistoryEvent;

/** What the world answered to one effect of a run. */
export interface RecordedAnswer {
  /** The effect, and the state that asked for it. */
  name: string;
  label: string;
  /** Absent when none came: the run ended first, or no longer wanted it. */
  answer?: Json;
  ms: number;
}

/** An effect that was asked for, and when. */
interface Asked {
  effect: RecordedAnswer;
  at: number;
}

/** What reached a run from outside. */
export interface RecordedInput {
  step: string;
  payload: Json;
  /** Since the start. */
  atMs: number;
  signal?: true;
}

/** Everything of a run that its history tells. */
export interface RecordedRun {
  input: JourneyInput;
  startedAt: number;
  /** In the order they were asked for. */
  answers: RecordedAnswer[];
  inputs: RecordedInput[];
  /** When it was asked to end, since the start. */
  cancelledAtMs?: number;
  /** Absent while it runs. */
  outcome?: Outcome;
}

/** Reads a run from its history, through all executions that it went on in. */
export async function recordingOf(client: Client, id: string): Promise<RecordedRun> {
  const events: Event[] = [];
  const failed = (error: unknown) => Promise.reject(asProblem(error));
  const { raw } = await client.workflow.getHandle(id).describe().catch(failed);
  let runId = raw.workflowExecutionInfo?.firstRunId || undefined;
  do {
    const { events: some } = await client.workflow.getHandle(id, runId).fetchHistory().catch(failed);
    events.push(...(some ?? []));
    runId = some?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  } while (runId);
  return await readRecording(events, client.options.loadedDataConverter);
}

/** Reads a run from the events of its history. */
export async function readRecording(events: readonly Event[], converter: LoadedDataConverter): Promise<RecordedRun> {
  const values = async (payloads: temporal.api.common.v1.IPayloads | null | undefined) =>
    ((await decodeArrayFromPayloads(converter, payloads?.payloads)) ?? []) as Json[];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const input = readArguments(await values(started?.input));
  if (!input) return refuse('SCENARIO_RECORD', 'It is no run of a journey.');
  const startedAt = tsToMs(events[0]!.eventTime);
  const run: RecordedRun = { input, startedAt, answers: [], inputs: [] };
  const asked = new Map<string, Asked>();
  const handedBack: Asked[] = [];
  /** What asks for an effect: the first time, or again, after it was handed back. */
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
    if (scheduled) asked.set(String(event.eventId), ask(scheduled.activityType?.name ?? '', await label(), atMs));
    if (done) {
      const [answer = null] = await values(done.result);
      const it = asked.get(String(done.scheduledEventId))!;
      take(it, answer, Math.max(0, atMs - it.at));
    }
    if (marker?.markerName === 'core_local_activity' && !marker.failure) {
      const [answer = null] = await values(marker.details?.result);
      const [about] = await values(marker.details?.data);
      take(ask(isObject(about) ? String(about.activity_type) : '', await label(), atMs), answer, 0);
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

/** The outcome that an event brings; a cancelled run wrote its own down before it closed. */
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
