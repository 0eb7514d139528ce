import type { Json } from '../json/value.js';
import type { Envelope } from '../scheduling/jobs/envelope.js';
import { type Automation, callerOf } from './automation.js';
import { type CheckedTarget, checkTarget } from './functions/target.js';

/** What orchestrators run, for the worker that runs it. */
export interface Targets {
  /** Checks an envelope against today's grants, documents and schemas: refuses with ACCESS_DENIED, JOURNEY_UNKNOWN, INPUT_INVALID, … */
  check(envelope: Envelope): CheckedTarget;
  /** Invokes the function that an envelope names. It may be called again with the same envelope. */
  invoke(envelope: Envelope): Promise<Json>;
}

/** The targets of a process. */
export function targetsOf({ targets, orchestrators, functions }: Automation): Targets {
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
