import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { type StartOfRun, startOfRun } from './build-engine-input.js';
import { readScheduled, type ScheduledStart } from './scheduled-run.js';
import type { JourneyInput } from './workflow-contract.js';

/** A run at the start of an execution: new, continued, scheduled, or the compensation of another run. */
export interface Start extends StartOfRun {
  readonly input: JourneyInput;
  /** The schedule that started the run. */
  readonly scheduled: ScheduledStart | undefined;
}

export function readStart(input: JourneyInput): Start {
  if (!isComplete(input)) throw ApplicationFailure.nonRetryable(lostInput, 'SCHEDULE_BROKEN');
  const { workflowId, startTime } = workflowInfo();
  const scheduled = readScheduled(input);
  const begun = scheduled && { startStateId: scheduled.record.startStateId, context: scheduled.context };
  const facts = { workflowId, startTime: startTime.getTime(), ...(begun && { scheduled: begun }) };
  return { input, ...startOfRun(input, facts), scheduled };
}

/** Message of a scheduled run whose input is incomplete. */
export const lostInput =
  'The run was started without a journey: the action of its schedule was rewritten outside Journeyman.';

/** Whether the input is complete. Temporal's own tools can start a scheduled run without the memo of its schedule. */
function isComplete(input: JourneyInput): boolean {
  return !input.info.scheduled || input.carried !== undefined || workflowInfo().memo?.binding !== undefined;
}
