import type { Json } from '../base/json/value.js';
import type { Envelope } from '../schedules/jobs/dispatch-envelope.js';
import { type CheckedTarget, checkTarget } from './functions/check-target.js';
import { type Automation, callerOf } from './job-automation.js';

/** Checks and invokes the targets of jobs, for workers. */
export interface Targets {
  /** Checks an envelope against the current grants, documents and schemas; throws ACCESS_DENIED, JOURNEY_UNKNOWN, INPUT_INVALID, … */
  check(envelope: Envelope): CheckedTarget;
  /** Invokes the function of an envelope. May be called again with the same envelope. */
  invoke(envelope: Envelope): Promise<Json>;
}

/** Creates the targets of a process. */
export function createTargets({ targets, orchestrators, functions }: Automation): Targets {
  return {
    check: ({ orchestratorId, targetAction, targetRef, jobId }) =>
      checkTarget(targets, orchestrators.get(orchestratorId), targetAction, targetRef, { mayWait: jobId === null }),
    invoke: async (envelope) => {
      const { targetAction, orchestratorId } = envelope;
      if (targetAction.type !== 'command_invoke') throw new Error('a journey is not invoked');
      const { functionId, functionArgs = {} } = targetAction;
      const caller = callerOf(envelope, orchestrators.get(orchestratorId));
      return ((await functions.invoke(functionId, functionArgs, caller)) ?? null) as Json;
    },
  };
}
