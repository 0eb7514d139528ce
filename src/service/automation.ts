import { refuse } from '../problems/problem.js';
import type { Envelope, Origin } from '../scheduling/jobs/envelope.js';
import { isId } from '../scheduling/jobs/paths.js';
import type { CreatedBy } from '../scheduling/jobs/record.js';
import type { Audit } from './audit.js';
import { type Caller, Functions } from './functions/registry.js';
import { scheduleFunctions } from './functions/schedule.js';
import type { TargetGround } from './functions/target.js';
import { workFunctions } from './functions/work.js';
import type { Dispatcher, Jobs } from './jobs.js';
import type { Library } from './library.js';
import type { ChannelProfile, Orchestrator, Orchestrators } from './orchestrators.js';
import type { Runs } from './runs.js';
import type { Starts } from './start.js';

/** What automation is built on. */
export interface AutomationGround {
  readonly library: Library;
  readonly starts: Starts;
  readonly orchestrators: Orchestrators;
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
  readonly audit: Audit;
  readonly now?: () => number;
}

/** Jobs and everything around them: the same in a gateway, a worker and a terminal. */
export interface Automation {
  readonly functions: Functions;
  readonly targets: TargetGround;
  readonly orchestrators: Orchestrators;
  readonly jobs: Jobs;
  readonly dispatcher: Dispatcher;
  readonly audit: Audit;
  readonly now: () => number;
}

/** Puts it together; adapters of channels register their functions in `functions` afterwards. */
export function createAutomation(ground: AutomationGround): Automation {
  const { library, starts, orchestrators, jobs, dispatcher, audit, now = Date.now } = ground;
  const functions = new Functions();
  const targets: TargetGround = { library, starts, functions, orchestrators };
  functions.register(
    ...scheduleFunctions({ jobs, audit, targets, now }),
    ...workFunctions({ ...ground, targets, now }),
  );
  return { functions, targets, orchestrators, jobs, dispatcher, audit, now };
}

/** In which orchestrator a request is meant, as whoever sends it says. */
export interface ScopeRequest {
  readonly orchestratorId?: string | undefined;
  readonly channelProfileId?: string | undefined;
}

/** The orchestrator of a request: named, or that of the named profile. Nothing is inferred; unknown names are refused at once. */
export function scopeOf(
  orchestrators: Orchestrators,
  { orchestratorId, channelProfileId }: ScopeRequest,
): { orchestrator: Orchestrator; profile?: ChannelProfile } {
  for (const id of [orchestratorId, channelProfileId])
    if (id !== undefined && !isId(id)) refuse('PATH_REFUSED', 'The name of an orchestrator or profile is not an id.');
  if (channelProfileId === undefined) {
    if (orchestratorId === undefined) return refuse('ORCHESTRATOR_REQUIRED');
    return { orchestrator: orchestrators.get(orchestratorId) };
  }
  const profile = orchestrators.profile(channelProfileId);
  if (orchestratorId !== undefined && orchestratorId !== profile.orchestratorId)
    refuse('ACCESS_DENIED', 'The channel profile belongs to another orchestrator than the one that is named.', {
      hint: 'Name one of the two.',
    });
  return { orchestrator: orchestrators.get(profile.orchestratorId), profile };
}

/** An operator, who may use every function in any scope. */
export function operator(orchestrator: Orchestrator, by: CreatedBy, origin: Origin, requestId: string): Caller {
  return { by, orchestrator, functions: ['*'], origin, requestId };
}

/** Whoever acts for an orchestrator, with what that one may use: a channel, or a run of one of its jobs. */
export function member(orchestrator: Orchestrator, by: CreatedBy, origin: Origin, requestId: string): Caller {
  return { by, orchestrator, functions: orchestrator.functions, origin, requestId };
}

/** The caller of the function that a run invokes. */
export function callerOf(envelope: Envelope, orchestrator: Orchestrator): Caller {
  return member(orchestrator, envelope.requestedBy, envelope.origin, envelope.executionId);
}
