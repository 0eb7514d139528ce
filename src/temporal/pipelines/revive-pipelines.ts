import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import {
  type DeployedDefinition,
  type PipelineInput,
  pipelineId,
  pipelineNames,
  type StateBeforeReset,
  type UnhandledSignal,
} from '../../../workflows/pipeline/workflow-contract.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { refuseUnknownPipeline } from '../../service/pipelines-interface.js';
import { asProblem, isFailing, isNotFound, isRefusal } from '../classify-temporal-errors.js';
import { deploySchedules } from '../schedules/producers/deploy-producer-schedules.js';
import { decodeArrayFromPayloads } from '../sdk-internals.js';
import {
  describePipeline,
  endText,
  isOpen,
  queryPipeline,
  startPipeline,
} from './describe-query-and-start-pipeline.js';
import { unansweredProblem } from './explain-unanswered-request.js';
import { openReset, runBefore } from './find-workflow-resets.js';
import { listPipelines } from './list-pipelines.js';
import { eventsBackwards } from './read-history-backwards.js';

/**
 * Restarts a pipeline that was ended with Temporal's tools. Its state comes from a replay of its history. Returns whether it had ended;
 * refuses with PIPELINE_UNKNOWN if there is no history.
 */
export async function revivePipeline(client: Client, taskQueue: string, name: string): Promise<boolean> {
  const found = await describePipeline(client, name);
  if (!found) return refuseUnknownPipeline(name);
  if (isOpen(found)) return false;
  const text = `${restartReason} ${await endText(client, name, found)}`;
  const state = await finalState(client, name, found.runId);
  if ('failedAt' in state) await resetToFailure(client, name, found.runId, state, text);
  else {
    const notes = [...(state.notes ?? []), { at: Date.now(), text }].slice(-10);
    await startPipeline(client, taskQueue, { ...state, notes });
  }
  return true;
}

/** The state of a pipeline before this execution was reset. Null if it cannot be read. */
export async function stateBeforeReset(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<StateBeforeReset | null> {
  const reset = await openReset(client, { workflowId, runId });
  if (!reset) return null;
  const name = workflowId.slice(pipelineId('').length);
  const state = await finalState(client, name, await runBefore(client, reset));
  const note = reset.reason.startsWith(restartReason) ? reset.reason : undefined;
  if (!('failedAt' in state)) return { ...state, ...(note !== undefined && { note }) };
  if (state.runId === reset.base && state.completedAt.lt(reset.task))
    return { kept: true, note: note ?? 'The pipeline was reset, and lost nothing.' };
  // Only an execution that continues at the failed task has the state. If that was tried and failed again, the reset was on purpose.
  const text = `${restartReason} It had been reset while its workflow tasks failed.`;
  if (!state.again && (await resetToFailure(client, name, runId, state, text))) {
    // The reset has ended this execution, so its history has all its signals.
    const ended = await openReset(client, { workflowId, runId });
    await resend(client, name, await Promise.all((ended?.signals ?? []).map((it) => unhandledSignal(client, it))));
  }
  return null;
}

/**
 * Resets an ended execution to the task that failed: everything before it stays, and the server delivers the messages after it again. Two
 * requests make two resets, so the second caller checks first; a reset in between ends the first one's execution and recovers its
 * state (`stateBeforeReset`). Returns whether this call reset it.
 */
async function resetToFailure(
  client: Client,
  name: string,
  current: string,
  { runId, failedAt, unhandled }: UnqueryableExecution,
  reason: string,
): Promise<boolean> {
  const { namespace, identity } = client.options;
  const workflowId = pipelineId(name);
  const found = await describePipeline(client, name);
  if (found?.runId !== current) return false;
  try {
    await client.workflowService.resetWorkflowExecution({
      namespace,
      identity,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: failedAt,
      requestId: randomUUID(),
      reason,
    });
    await resend(client, name, unhandled);
    return true;
  } catch (error) {
    // An older server does not reset executions with a child.
    if (isRefusal(error)) refuseRestart(name, (error as Error).message);
    throw asProblem(error);
  }
}

/** Sends a pipeline the signals that earlier executions did not handle. */
async function resend(client: Client, name: string, unhandled: readonly UnhandledSignal[]): Promise<void> {
  for (const { signal, args } of unhandled) await client.workflow.getHandle(pipelineId(name)).signal(signal, ...args);
}

/**
 * Daily maintenance: restarts ended pipelines before Temporal forgets them, and repairs their Schedules. A pipeline that fails does not stop
 * the others.
 */
export async function maintainPipelines(client: Client, taskQueue: string): Promise<void> {
  for (const { name } of await listPipelines(client)) {
    try {
      const found = await describePipeline(client, name);
      // Pipelines of other task queues have workers of their own.
      if (found?.taskQueue !== taskQueue) continue;
      if (!isOpen(found)) await revivePipeline(client, taskQueue, name);
      const { definition } = await queryPipeline<DeployedDefinition>(client, name, pipelineNames.definition);
      await deploySchedules(client, taskQueue, definition);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
}

/** Longest wait for a worker to replay an ended pipeline. */
const replayMs = 25_000;

/** Beginning of the reason of our own resets. */
const restartReason = 'Restarted with all its events.';

type Event = temporal.api.history.v1.IHistoryEvent;
type Long = NonNullable<Event['eventId']>;

/** An execution without queries: its workflow tasks failed until it was ended, and the server rejects queries of such executions. */
interface UnqueryableExecution {
  readonly runId: string;
  /** Event of the failure of its last workflow task. */
  readonly failedAt: Long;
  /** Event of its last completed workflow task. */
  readonly completedAt: Long;
  /** Whether we reset it already, and its workflow tasks failed again. */
  readonly again: boolean;
  /** Signals that later executions received and did not handle. */
  readonly unhandled: readonly UnhandledSignal[];
}

/**
 * The input with which an ended execution could continue. For one that never completed a task it is its own input; for one that was reset
 * and ended before it had recovered, the final state before the reset.
 */
async function finalState(client: Client, name: string, runId: string): Promise<PipelineInput | UnqueryableExecution> {
  const reset = await openReset(client, { workflowId: pipelineId(name), runId });
  if (reset) {
    const state = await finalState(client, name, await runBefore(client, reset));
    const again = reset.failed && reset.reason.startsWith(restartReason);
    const before = 'failedAt' in state ? { ...state, again: state.again || again } : state;
    return withUnhandled(before, await Promise.all(reset.signals.map((it) => unhandledSignal(client, it))));
  }
  const unhandled: UnhandledSignal[] = [];
  let given: PipelineInput | undefined;
  let completedAt: Long | undefined;
  let failedAt: Long | undefined;
  for await (const event of eventsBackwards(client, { workflowId: pipelineId(name), runId })) {
    // Signals that arrived during that task come after it in the history: the execution did not handle them.
    if (event.workflowTaskCompletedEventAttributes) {
      completedAt = event.eventId!;
      break;
    }
    if (event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes)
      failedAt ??= event.eventId!;
    if (event.workflowExecutionSignaledEventAttributes) unhandled.unshift(await unhandledSignal(client, event));
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) [given] = (await decoded(client, started.input)) as [PipelineInput];
  }
  const input = given ?? (await queryEnded(client, name, runId));
  if (input) return withUnhandled(input, unhandled);
  if (failedAt && completedAt) return { runId, failedAt, completedAt, again: false, unhandled: [] };
  return refuseRestart(name, 'none of its workflow tasks failed');
}

function withUnhandled<T extends PipelineInput | UnqueryableExecution>(
  it: T,
  unhandled: readonly UnhandledSignal[],
): T {
  return unhandled.length > 0 ? { ...it, unhandled: [...(it.unhandled ?? []), ...unhandled] } : it;
}

/** A signal as it was sent. */
async function unhandledSignal(
  client: Client,
  { workflowExecutionSignaledEventAttributes: it }: Event,
): Promise<UnhandledSignal> {
  return { signal: it?.signalName ?? '', args: await decoded(client, it?.input).catch(() => []) };
}

async function decoded({ options }: Client, input: temporal.api.common.v1.IPayloads | null | undefined) {
  return (await decodeArrayFromPayloads(options.loadedDataConverter, input?.payloads)) ?? [];
}

/** Queries an ended execution. Undefined if its last workflow tasks failed. */
async function queryEnded(client: Client, name: string, runId: string): Promise<PipelineInput | undefined> {
  const handle = client.workflow.getHandle(pipelineId(name), runId);
  try {
    return await client.withDeadline(Date.now() + replayMs, () => handle.query<PipelineInput>(pipelineNames.nextInput));
  } catch (error) {
    if (isFailing(error)) return undefined;
    throw isNotFound(error) ? refuseUnknownPipeline(name) : await unansweredProblem(client, name, error);
  }
}

/** Refuses to restart a pipeline whose state Temporal has but does not return. */
function refuseRestart(name: string, why: string): never {
  refuse(
    'PIPELINE_CANNOT_GO_ON',
    `Temporal does not let the pipeline ${name} continue where its tasks failed: ${why}.`,
  );
}
