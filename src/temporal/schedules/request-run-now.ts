import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
} from '@temporalio/client';
import { ApplicationFailure, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { runNow } from '../../../workflows/dispatch/run-now-workflow.js';
import { runNowWorkflow } from '../../../workflows/journey/workflow-contract.js';
import { isProblem, ProblemError, refuse } from '../../base/problems/problem.js';
import { runNowPrefix } from '../../engine/definition/keyed-run-id.js';
import type { BeforeRun } from '../../schedules/bindings/binding-record.js';
import { asProblem, isNotFound, isUnanswered } from '../classify-temporal-errors.js';
import { encodeScheduleOverlapPolicy, msNumberToTs } from '../sdk-internals.js';
import type { ScheduleDescription } from './describe-schedule.js';

const answerMs = 15_000;

/** Starts the workflow that starts one run of a schedule, and returns the run's id; the same request id is the same run. */
export async function requestRunNow(
  client: Client,
  taskQueue: string,
  requestId: string,
  args: Parameters<typeof runNow>,
): Promise<string> {
  const workflowId = `${runNowPrefix}/${args[0]}/${requestId}`;
  try {
    const handle = await client.workflow.start(runNowWorkflow, {
      workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    });
    return await answerOf(client, handle.workflowId);
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return await answerOf(client, workflowId);
    if (isUnanswered(error))
      refuse('RUN_UNRESPONSIVE', 'No worker accepted the request in time; the run may still start.');
    throw asProblem(error);
  }
}

async function answerOf(client: Client, workflowId: string): Promise<string> {
  try {
    return await client.withDeadline(Date.now() + answerMs, () => client.workflow.getHandle(workflowId).result());
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    throw isProblem(detail) ? new ProblemError(detail) : error;
  }
}

/** Policy for a new run while another is active: it is dropped, or waits until the active one ends. */
export type WhileActive = 'skip' | 'wait';

const patienceMs = 10_000;
const retryMs = 1_000;
const pollMs = 25;

/**
 * Triggers a Schedule once per nominal time, and returns the description that shows the result. A trigger returns nothing, and of two
 * concurrent requests the server loses the first, so the Schedule is polled and triggered again.
 */
export async function untilStarted<S extends ScheduleDescription>(
  client: Client,
  scheduleId: string,
  whileActive: WhileActive,
  before: BeforeRun,
  read: () => Promise<S>,
): Promise<S> {
  const { namespace, identity } = client.options;
  const patch = startPatch(whileActive, before.nominal);
  const end = Date.now() + patienceMs;
  for (let asked = 0; Date.now() < end; await sleep(pollMs)) {
    const snapshot = await read();
    if (isHandled(snapshot, before, whileActive)) return snapshot;
    if (Date.now() - asked < retryMs) continue;
    asked = Date.now();
    await client.workflowService
      .patchSchedule({ namespace, identity, requestId: randomUUID(), scheduleId, patch })
      .catch((error) => {
        // It was deleted; the next description shows that.
        if (!isNotFound(error)) throw asProblem(error);
      });
  }
  return refuse('SCHEDULE_BUSY', `${scheduleId} did not start a run within ${patienceMs / 1000} s.`);
}

/** The run was started, waits, or was skipped. */
function isHandled(found: ScheduleDescription, before: BeforeRun, whileActive: WhileActive): boolean {
  return (
    found.recent.some(({ nominal }) => nominal === before.nominal) ||
    (whileActive === 'wait' && found.buffered > 0) ||
    found.overlapSkipped > before.overlapSkipped
  );
}

/** The patch by which a Schedule starts a run now. */
export function startPatch(whileActive: WhileActive, nominal: number) {
  const overlap = whileActive === 'skip' ? ScheduleOverlapPolicy.SKIP : ScheduleOverlapPolicy.BUFFER_ONE;
  return {
    triggerImmediately: {
      overlapPolicy: encodeScheduleOverlapPolicy(overlap)!,
      scheduledTime: msNumberToTs(nominal),
    },
  };
}
