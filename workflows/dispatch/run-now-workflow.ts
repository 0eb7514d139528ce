import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { BeforeRun } from '../../src/schedules/bindings/binding-record.js';

interface Activities {
  scheduleBeforeRun(scheduleId: string): Promise<BeforeRun>;
  scheduleRunNow(scheduleId: string, before: BeforeRun): Promise<string>;
  jobBeforeRun(jobId: string): Promise<BeforeRun>;
  jobRunNow(jobId: string, before: BeforeRun): Promise<string>;
}

const { scheduleBeforeRun, scheduleRunNow, jobBeforeRun, jobRunNow } = proxyActivities<Activities>({
  startToCloseTimeout: '15s',
  retry: { maximumAttempts: 5 },
});

/**
 * Starts one run of a schedule and returns its id. It is a workflow because a trigger returns nothing and cannot be distinguished from its
 * repetition: here the request has an id, and its progress survives a crash of the worker.
 */
export async function runNow(scheduleId: string, kind: 'binding' | 'job'): Promise<string> {
  try {
    if (kind === 'job') return await jobRunNow(scheduleId, await jobBeforeRun(scheduleId));
    return await scheduleRunNow(scheduleId, await scheduleBeforeRun(scheduleId));
  } catch (error) {
    throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
  }
}
