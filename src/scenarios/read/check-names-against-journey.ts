import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import type { Code } from '../../base/problems/registry.js';
import type { Definition } from '../../engine/definition/definition.js';
import { partsOfAddress, type StepUse } from '../../engine/steps/step-address.js';
import { allStates, stepUses } from '../../language/states/graph-traversal.js';
import { activityOf } from '../../language/tasks/external/virtual-activity.js';
import { workflowOf } from '../../language/tasks/external/virtual-workflow.js';
import { serviceCalls } from '../possible-calls.js';

/** Codes of submissions whose step may have a wrong address. */
const badAddress: ReadonlySet<unknown> = new Set(['STEP_UNKNOWN', 'STEP_ITEM_REQUIRED']);

/** Reports names in a scenario, or in its shared fields, that the journey does not have; a misspelt name would never match. */
export function checkScenario(place: Place, definition: Definition): void {
  const names = namesOf(definition);
  const check = (it: Place, known: ReadonlySet<string>, code: Code, what: string): void => {
    if (typeof it.value !== 'string' || known.has(it.value)) return;
    it.error(code, `${definition.name} has no ${what} "${it.value}".`, didYouMean(it.value, known));
  };
  const state = (it: Place) => check(it, names.states, 'SCENARIO_STATE_UNKNOWN', 'state');
  const step = (it: Place) => checkStep(it, definition, names.steps);

  for (const input of [...place.at('steps').items(), ...place.at('signals').items()]) {
    if (!badAddress.has(input.at('expect').at('code').value)) step(input.at('step'));
    state(input.at('afterState'));
    state(input.at('expect').at('currentState'));
    input.at('expect').at('activeSteps').items().forEach(step);
  }
  state(place.at('cancel').at('afterState'));
  for (const call of [...place.at('backend').items(), ...expectedCalls(place.at('expect'))]) {
    check(call.at('operation'), names.operations, 'SCENARIO_OPERATION_UNKNOWN', 'call of the operation');
  }
  for (const rule of place.at('activities').items())
    check(rule.at('activity'), names.activities, 'SCENARIO_OPERATION_UNKNOWN', 'call of the activity');
  for (const rule of place.at('workflows').items())
    for (const field of ['workflow', 'journey'] as const)
      check(rule.at(field), names[field], 'SCENARIO_OPERATION_UNKNOWN', `call of the ${field}`);
  for (const [key, value] of place.at('config').entries()) {
    if (names.config.has(key)) continue;
    const hint = didYouMean(key, names.config);
    value.error(
      'SCENARIO_CONFIG_UNKNOWN',
      `${definition.name} does not declare the configuration key "${key}".`,
      hint,
      'key',
    );
  }
  const expect = place.at('expect');
  expect.at('states').items().forEach(state);
  expect.at('activeSteps').items().forEach(step);
  state(expect.at('currentState'));
  check(expect.at('outcomeId'), names.outcomes, 'SCENARIO_OUTCOME_UNKNOWN', 'outcome');
}

/** Checks the address of a step: its id, or in an item of a map `<step>/<item>`. */
function checkStep(place: Place, { name }: Definition, steps: ReadonlyMap<string, StepUse>): void {
  if (typeof place.value !== 'string') return;
  const { stepId, item } = partsOfAddress(place.value);
  const use = steps.get(stepId);
  if (!use)
    place.error(
      'SCENARIO_STEP_UNKNOWN',
      `${name} has no step "${place.value}".`,
      didYouMean(stepId, new Set(steps.keys())),
    );
  else if (item === undefined && !use.alone)
    place.error('SCENARIO_STEP_UNKNOWN', `The step "${stepId}" is in the items of a map.`, `Write ${stepId}/<item>.`);
  else if (item !== undefined && !use.inItems)
    place.error('SCENARIO_STEP_UNKNOWN', `The step "${stepId}" is not in a map.`, `Write ${stepId}.`);
}

function expectedCalls(expect: Place): Place[] {
  return [...expect.at('calls').items(), ...expect.at('callsInAnyOrder').items()];
}

function namesOf(definition: Definition) {
  const operations = serviceCalls(definition).flatMap(({ operation }) => operation ?? []);
  const children = operations.flatMap((it) => workflowOf(it) ?? []);
  return {
    states: new Set([...allStates(definition)].map(({ id }) => id)),
    operations: new Set(operations),
    activities: new Set(operations.flatMap((it) => activityOf(it) ?? [])),
    workflow: new Set(children.flatMap((it) => ('workflow' in it ? it.workflow : []))),
    journey: new Set(children.flatMap((it) => ('journey' in it ? it.journey : []))),
    steps: stepUses(definition),
    outcomes: new Set(definition.outcomes.map(({ id }) => id)),
    config: new Set(Object.keys(definition.platformConfig)),
  };
}
