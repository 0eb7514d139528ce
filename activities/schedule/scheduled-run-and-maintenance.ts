import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type {
  Admission,
  AdmissionRequest,
  BeforeRun,
  FinishedRun,
} from '../../src/schedules/bindings/binding-record.js';
import { maintainPipelines } from '../../src/temporal/pipelines/revive-pipelines.js';
import { admitRun, contextOfRun, finishRun } from '../../src/temporal/schedules/bindings/admit-and-finish-runs.js';
import { bindingSchedule, prepareRun } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import { extendBindings, removeExhausted, tidyJobs } from '../../src/temporal/schedules/daily-maintenance.js';
import { prepareJobRun, startJobNow } from '../../src/temporal/schedules/jobs/job-schedule.js';
import { withHeartbeats } from '../effects-as-activities.js';

/** Activities of scheduled runs and of maintenance. Each is idempotent. */
export function scheduleActivities(client: Client) {
  return {
    /** The last step of a scheduled run. */
    scheduleFinished: (run: FinishedRun): Promise<boolean> =>
      withHeartbeats(async () => {
        const { workflowId, runId } = Context.current().info.workflowExecution!;
        const context = run.handsOn ? await contextOfRun(client, workflowId, runId) : undefined;
        return await finishRun(client, run, context);
      }),

    scheduleBeforeRun: (scheduleId: string): Promise<BeforeRun> => withHeartbeats(() => prepareRun(client, scheduleId)),

    scheduleRunNow: (scheduleId: string, before: BeforeRun): Promise<string> =>
      withHeartbeats(() => bindingSchedule(client, scheduleId).runNow(before)),

    jobBeforeRun: (jobId: string): Promise<BeforeRun> => withHeartbeats(() => prepareJobRun(client, jobId)),

    jobRunNow: (jobId: string, before: BeforeRun): Promise<string> =>
      withHeartbeats(() => {
        const { taskQueue, workflowExecution } = Context.current().info;
        return startJobNow(client, taskQueue, jobId, before, workflowExecution!.workflowId);
      }),

    maintainSchedules: (days: number): Promise<number> =>
      withHeartbeats(async () => {
        const { taskQueue } = Context.current().info;
        await extendBindings(client, Date.now());
        await maintainPipelines(client, taskQueue);
        const bindings = await removeExhausted(client, days, Date.now());
        return bindings + (await tidyJobs(client, taskQueue, days, Date.now()));
      }),

    scheduleAdmits: (asking: AdmissionRequest): Promise<Admission> => withHeartbeats(() => admitRun(client, asking)),
  };
}
