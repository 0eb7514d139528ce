import type { Definition } from '../../definition/definition.js';
import type { JsonObject } from '../../json/value.js';
import { nearest } from '../../problems/nearest.js';
import { refuse } from '../../problems/problem.js';
import { isId, pathFindings, sharedReferences } from '../../scheduling/jobs/paths.js';
import type { TargetAction, TargetRef } from '../../scheduling/jobs/record.js';
import { readTargetRef } from '../../scheduling/jobs/target-ref.js';
import { deepStates, isStep } from '../../states/graphs.js';
import type { Library } from '../library.js';
import { grants, type Orchestrator, type Orchestrators } from '../orchestrators.js';
import type { PreparedStart, Starts } from '../start.js';
import { at } from './places.js';
import type { Functions } from './registry.js';

/** What targets are checked against. */
export interface TargetGround {
  readonly library: Library;
  readonly starts: Starts;
  readonly functions: Functions;
  readonly orchestrators: Orchestrators;
}

/** A target that may run as it is. */
export type CheckedTarget =
  | { readonly type: 'workflow_start'; readonly start: PreparedStart }
  | { readonly type: 'command_invoke'; readonly functionId: string; readonly functionArgs: JsonObject };

export interface TargetOptions {
  /** A job has nobody to answer; a run that somebody asked for may wait for input. */
  readonly mayWait?: boolean;
}

/**
 * Whether an orchestrator may run a target, and with these inputs: the one check when a job is made, when it is changed and when it fires.
 * Refuses with JOURNEY_UNKNOWN, FUNCTION_UNKNOWN, ACCESS_DENIED, INPUT_INVALID, FUNCTION_ARGUMENTS, TARGET_INTERACTIVE,
 * TARGET_REF_INVALID, PATH_REFUSED or CHANNEL_PROFILE_UNKNOWN.
 */
export function checkTarget(
  ground: TargetGround,
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
  at('/targetAction/functionArgs', () => ground.functions.check(functionId, functionArgs, orchestrator));
  return { type: action.type, functionId, functionArgs };
}

function checkJourney(
  { library, starts }: TargetGround,
  orchestrator: Orchestrator,
  { workflowId, inputs = {} }: Extract<TargetAction, { type: 'workflow_start' }>,
  { mayWait = false }: TargetOptions,
): PreparedStart {
  const pointer = '/targetAction/workflowId';
  const entry = isId(workflowId) ? library.find(workflowId) : undefined;
  if (!entry) {
    const near = nearest(
      workflowId,
      library.names().filter((it) => grants(orchestrator.journeys, it)),
    );
    const hint = near === undefined ? 'Name a journey of the specs folder.' : `Did you mean ${near}?`;
    return refuse('JOURNEY_UNKNOWN', 'There is no journey of that name.', { pointer, hint });
  }
  const { name } = entry.definition;
  if (!grants(orchestrator.journeys, name))
    refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} may not use the journey ${name}.`, {
      pointer,
      hint: `Allow it under orchestrators.${orchestrator.id}.journeys in the configuration.`,
    });
  const waits = mayWait ? undefined : firstStep(entry.definition);
  if (waits !== undefined)
    refuse('TARGET_INTERACTIVE', `The journey ${name} can come to wait at "${waits}".`, { pointer });
  checkPayload(orchestrator, inputs, '/targetAction/inputs');
  return at('/targetAction/inputs', () =>
    starts.prepare(entry, { body: inputs, headers: {}, query: new URLSearchParams() }),
  );
}

/** A state at which a run would wait for somebody, however deep. */
function firstStep(definition: Definition): string | undefined {
  for (const { id, state } of deepStates(definition, definition.start, definition.subjourneys))
    if (isStep(state)) return id;
  return undefined;
}

/** No paths, and no shared folder that the orchestrator was not given. */
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
  const profile = at(pointer, () => orchestrators.profile(ref.channelProfileId));
  if (profile.orchestratorId !== orchestrator.id)
    refuse('ACCESS_DENIED', `The channel profile belongs to another orchestrator than ${orchestrator.id}.`, {
      pointer,
      hint: 'Name a profile of this orchestrator.',
    });
  if (profile.channel !== ref.channel)
    refuse(
      'TARGET_REF_INVALID',
      `The channel profile is of channel ${profile.channel}, not of the one that is named.`,
      {
        pointer: '/targetRef/channel',
        hint: `Write channel: ${profile.channel}, or name another profile.`,
      },
    );
}
