import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ProblemError } from '../../src/problems/problem.js';
import type { AskingRun, BeforeRun, BindingRequest, FinishedRun } from '../../src/scheduling/bindings/record.js';
import { readSource } from '../../src/temporal/schedules/action.js';
import { admitRun } from '../../src/temporal/schedules/admit.js';
import { createBinding } from '../../src/temporal/schedules/create.js';
import { finishRun, handedOn } from '../../src/temporal/schedules/finish.js';
import { removeExhausted } from '../../src/temporal/schedules/maintenance.js';
import { prepareRunNow, startNow } from '../../src/temporal/schedules/run-now.js';

const heartbeatMs = 2_000;

/** The activities behind `schedule:v1` and the runs it makes. Each may be repeated: it happens once. */
export function scheduleActivities(client: Client) {
  return {
    schedule: (request: BindingRequest): Promise<{ scheduleId: string }> =>
      answering(async () => {
        const { workflowExecution, taskQueue } = Context.current().info;
        const source = await readSource(client, workflowExecution!, taskQueue);
        return { scheduleId: await createBinding(client, request, source) };
      }),

    /** The last step of a scheduled run. */
    scheduleFinished: (run: FinishedRun): Promise<boolean> =>
      answering(async () => {
        const { workflowId, runId } = Context.current().info.workflowExecution!;
        return await finishRun(client, run, run.handsOn ? await handedOn(client, workflowId, runId) : undefined);
      }),

    scheduleBeforeRun: (scheduleId: string): Promise<BeforeRun> => answering(() => prepareRunNow(client, scheduleId)),

    scheduleRunNow: (scheduleId: string, before: BeforeRun): Promise<string> =>
      answering(() => startNow(client, scheduleId, before)),

    schedulesTidied: (days: number): Promise<number> => answering(() => removeExhausted(client, days, Date.now())),

    scheduleAdmits: (asking: AskingRun): Promise<boolean> => answering(() => admitRun(client, asking)),
  };
}

/** Says that it is alive while it works; a problem is an answer, everything else is tried again. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  const { info, heartbeat } = Context.current();
  const beat = info.heartbeatTimeoutMs ? setInterval(() => heartbeat(), heartbeatMs) : undefined;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
    const { problem } = error;
    throw ApplicationFailure.create({
      type: problem.code,
      message: problem.detail ?? problem.title,
      nonRetryable: true,
      details: [problem],
    });
  } finally {
    clearInterval(beat);
  }
}
