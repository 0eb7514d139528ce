import { refuse } from '../base/problems/problem.js';
import { isId } from '../schedules/jobs/check-file-paths-and-ids.js';
import type { Envelope, Origin } from '../schedules/jobs/dispatch-envelope.js';
import type { CreatedBy } from '../schedules/jobs/job-record.js';
import type { Audit } from './audit/audit-interface.js';
import type { TargetDeps } from './functions/check-target.js';
import { type Caller, Functions } from './functions/function-registry.js';
import { workflowFunctions } from './functions/journey-functions.js';
import { scheduleFunctions } from './functions/schedule-functions.js';
import type { Dispatcher, Jobs } from './jobs-interface.js';
import type { Library } from './library-interface.js';
import type { ChannelProfile, Orchestrator, Orchestrators } from './orchestrators.js';
import type { Starts } from './prepare-start-with-ajv.js';
import type { Runs } from './runs-interface.js';

/** Dependencies of automation. */
export interface AutomationServiceDeps {
  readonly library: Library;
  readonly starts: Starts;
  readonly orchestrators: Orchestrators;
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
  readonly audit: Audit;
  readonly now?: () => number;
}

/** Jobs, their functions and queues; the same in a gateway, a worker and a terminal. */
export interface Automation {
  readonly functions: Functions;
  readonly targets: TargetDeps;
  readonly orchestrators: Orchestrators;
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly audit: Audit;
  readonly now: () => number;
}

/** Creates the automation; channels register their functions afterwards. */
export function createAutomation(deps: AutomationServiceDeps): Automation {
  const { library, starts, orchestrators, jobs, dispatcher, audit, now = Date.now } = deps;
  const functions = new Functions();
  const targets: TargetDeps = { library, starts, functions, orchestrators };
  functions.register(
    ...scheduleFunctions({ jobs, audit, targets, now }),
    ...workflowFunctions({ ...deps, targets, now }),
  );
  return { functions, targets, orchestrators, jobs, dispatcher, audit, now };
}

/** The scope of a request, as given by its sender. */
export interface ScopeRequest {
  readonly orchestratorId?: string | undefined;
  readonly channelProfileId?: string | undefined;
}

/** Resolves the orchestrator of a request: the named one, or that of the named profile. Rejects unknown names. */
export function scopeOf(
  orchestrators: Orchestrators,
  { orchestratorId, channelProfileId }: ScopeRequest,
): { orchestrator: Orchestrator; profile?: ChannelProfile } {
  for (const id of [orchestratorId, channelProfileId])
    if (id !== undefined && !isId(id))
      refuse('PATH_REFUSED', 'The name of an orchestrator or profile must be a valid id.');
  if (channelProfileId === undefined) {
    if (orchestratorId === undefined) return refuse('ORCHESTRATOR_REQUIRED');
    return { orchestrator: orchestrators.get(orchestratorId) };
  }
  const profile = orchestrators.profile(channelProfileId);
  if (orchestratorId !== undefined && orchestratorId !== profile.orchestratorId)
    refuse('ACCESS_DENIED', 'The channel profile does not belong to the named orchestrator.', {
      hint: 'Specify only one of the two.',
    });
  return { orchestrator: orchestrators.get(profile.orchestratorId), profile };
}

/** A caller with every function, for operators. */
export function operatorCaller(orchestrator: Orchestrator, by: CreatedBy, origin: Origin, requestId: string): Caller {
  return { by, orchestrator, functions: ['*'], origin, requestId };
}

/** A caller with the functions of its orchestrator: a channel, or a run of one of its jobs. */
export function memberCaller(orchestrator: Orchestrator, by: CreatedBy, origin: Origin, requestId: string): Caller {
  return { by, orchestrator, functions: orchestrator.functions, origin, requestId };
}

/** The caller of a function invoked by a run. */
export function callerOf(envelope: Envelope, orchestrator: Orchestrator): Caller {
  return memberCaller(orchestrator, envelope.requestedBy, envelope.origin, envelope.executionId);
}
