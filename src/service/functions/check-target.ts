import type { JsonObject } from '../../base/json/value.js';
import { nearestName } from '../../base/problems/nearest-name.js';
import { refuse } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import { statesReachableFrom } from '../../language/states/graph-traversal.js';
import { isStep } from '../../language/states/state-queries.js';
import { isId, pathFindings, sharedReferences } from '../../schedules/jobs/check-file-paths-and-ids.js';
import type { TargetAction, TargetRef } from '../../schedules/jobs/job-record.js';
import { readTargetRef } from '../../schedules/jobs/read-output-destination.js';
import type { Library } from '../library-interface.js';
import { grants, type Orchestrator, type Orchestrators } from '../orchestrators.js';
import type { PreparedStart, Starts } from '../prepare-start-with-ajv.js';
import type { Functions } from './function-registry.js';
import { withPointer } from './relocate-problem-pointers.js';

/** Dependencies of target checks. */
export interface TargetDeps {
  readonly library: Library;
  readonly starts: Starts;
  readonly functions: Functions;
  readonly orchestrators: Orchestrators;
}

/** A valid target. */
export type CheckedTarget =
  | { readonly type: 'workflow_start'; readonly start: PreparedStart }
  | { readonly type: 'command_invoke'; readonly functionId: string; readonly functionArgs: JsonObject };

export interface TargetOptions {
  /** A directly requested run may wait for input; a run of a job may not. */
  readonly mayWait?: boolean;
}

/**
 * Checks that an orchestrator may run a target with these inputs, when a job is created, updated and fired.
 * Throws JOURNEY_UNKNOWN, FUNCTION_UNKNOWN, ACCESS_DENIED, INPUT_INVALID, FUNCTION_ARGUMENTS, TARGET_INTERACTIVE,
 * TARGET_REF_INVALID, PATH_REFUSED or CHANNEL_PROFILE_UNKNOWN.
 */
export function checkTarget(
  ground: TargetDeps,
  orchestrator: Orchestrator,
  action: TargetAction,
  ref: TargetRef | null,
  options: TargetOptions = {},
): CheckedTarget {
  if (ref !== null) checkRef(ground.orchestrators, orchestrator, ref);
  if (action.type === 'workflow_start')
    return { type: action.type, start: checkJourney(ground, orchestrator, action, options) };
  const { functionId, functionArgs = {} } = action;
  checkPayload(orchestrator, functionArgs, '/targetAction/functionArgs');
  withPointer('/targetAction/functionArgs', () => ground.functions.check(functionId, functionArgs, orchestrator));
  return { type: action.type, functionId, functionArgs };
}

function checkJourney(
  { library, starts }: TargetDeps,
  orchestrator: Orchestrator,
  { workflowId, inputs = {} }: Extract<TargetAction, { type: 'workflow_start' }>,
  { mayWait = false }: TargetOptions,
): PreparedStart {
  const pointer = '/targetAction/workflowId';
  const entry = isId(workflowId) ? library.find(workflowId) : undefined;
  if (!entry) {
    const near = nearestName(
      workflowId,
      library.names().filter((it) => grants(orchestrator.journeys, it)),
    );
    const hint = near === undefined ? 'Use the name of a journey in the specs folder.' : `Did you mean ${near}?`;
    return refuse('JOURNEY_UNKNOWN', 'The journey does not exist.', { pointer, hint });
  }
  const { name } = entry.definition;
  if (!grants(orchestrator.journeys, name))
    refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} may not use the journey ${name}.`, {
      pointer,
      hint: `Allow it under orchestrators.${orchestrator.id}.journeys in the configuration.`,
    });
  const waits = mayWait ? undefined : firstStep(entry.definition);
  if (waits !== undefined)
    refuse('TARGET_INTERACTIVE', `The journey ${name} may wait for a submission at "${waits}".`, { pointer });
  checkPayload(orchestrator, inputs, '/targetAction/inputs');
  return withPointer('/targetAction/inputs', () =>
    starts.prepare(entry, { body: inputs, headers: {}, query: new URLSearchParams() }),
  );
}

/** Finds a state, at any depth, where a run would wait for a submission. */
function firstStep(definition: Definition): string | undefined {
  for (const { id, state } of statesReachableFrom(definition, definition.start, definition.subjourneys))
    if (isStep(state)) return id;
  return undefined;
}

/** Rejects file paths and shared folders that the orchestrator may not use. */
function checkPayload(orchestrator: Orchestrator, payload: JsonObject, pointer: string): void {
  const findings = pathFindings(payload, pointer);
  if (findings.length > 0) refuse('PATH_REFUSED', undefined, { pointer: findings[0]!.pointer, errors: findings });
  const foreign = sharedReferences(payload, pointer).find(({ name }) => !grants(orchestrator.shared, name));
  if (foreign)
    refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} may not refer to that shared folder.`, {
      pointer: foreign.pointer,
      hint: `Allow it under orchestrators.${orchestrator.id}.shared in the configuration.`,
    });
}

function checkRef(orchestrators: Orchestrators, orchestrator: Orchestrator, ref: TargetRef): void {
  const { findings } = readTargetRef(ref, '/targetRef');
  if (findings.length > 0)
    refuse('TARGET_REF_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
  const pointer = '/targetRef/channelProfileId';
  const profile = withPointer(pointer, () => orchestrators.profile(ref.channelProfileId));
  if (profile.orchestratorId !== orchestrator.id)
    refuse('ACCESS_DENIED', `The channel profile does not belong to the orchestrator ${orchestrator.id}.`, {
      pointer,
      hint: 'Use a profile of this orchestrator.',
    });
  if (profile.channel !== ref.channel)
    refuse('TARGET_REF_INVALID', `The channel profile is for the channel ${profile.channel}.`, {
      pointer: '/targetRef/channel',
      hint: `Use channel: ${profile.channel}, or another profile.`,
    });
}
