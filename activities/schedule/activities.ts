import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Admission, AskingRun, BeforeRun, FinishedRun } from '../../src/scheduling/bindings/record.js';
import { tidyJobs } from '../../src/temporal/jobs/maintenance.js';
import { prepareJobRun, startJobNow } from '../../src/temporal/jobs/run-now.js';
import { tidyPipelines } from '../../src/temporal/pipelines/maintenance.js';
import { admitRun } from '../../src/temporal/schedules/admit.js';
import { extendAll } from '../../src/temporal/schedules/extend.js';
import { finishRun, handedOn } from '../../src/temporal/schedules/finish.js';
import { removeExhausted } from '../../src/temporal/schedules/maintenance.js';
import { prepareRunNow, startNow } from '../../src/temporal/schedules/run-now.js';
import { answering } from '../activity.js';

/** What the runs of a schedule ask for, apart from their own tasks. Each may be repeated but happens once. */
export function scheduleActivities(client: Client) {
  return {
    /** The last step of a scheduled run. */
    scheduleFinished: (run: FinishedRun): Promise<boolean> =>
      answering(async () => {
        const { workflowId, runId } = Context.current().info.workflowExecution!;
        const context = run.handsOn ? await handedOn(client, workflowId, runId) : undefined;
        return await finishRun(client, { ...run, id: workflowId }, context);
      }),

    scheduleBeforeRun: (scheduleId: string): Promise<BeforeRun> => answering(() => prepareRunNow(client, scheduleId)),

    scheduleRunNow: (scheduleId: string, before: BeforeRun): Promise<string> =>
      answering(() => startNow(client, scheduleId, before)),

    jobBeforeRun: (jobId: string): Promise<BeforeRun> => answering(() => prepareJobRun(client, jobId)),

    jobRunNow: (jobId: string, before: BeforeRun): Promise<string> =>
      answering(() => {
        const { taskQueue, workflowExecution } = Context.current().info;
        return startJobNow(client, taskQueue, jobId, before, workflowExecution!.workflowId);
      }),

    schedulesTidied: (days: number): Promise<number> =>
      answering(async () => {
        const { taskQueue } = Context.current().info;
        await extendAll(client, Date.now());
        await tidyPipelines(client, taskQueue);
        const bindings = await removeExhausted(client, days, Date.now());
        return bindings + (await tidyJobs(client, taskQueue, days, Date.now()));
      }),

    scheduleAdmits: (asking: AskingRun): Promise<Admission> => answering(() => admitRun(client, asking)),
  };
}
