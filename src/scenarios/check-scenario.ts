import type { Definition } from '../definition/definition.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Code } from '../problems/registry.js';
import { allStates, stepIds } from '../states/graphs.js';
import { type PluginTask, pluginKind } from '../tasks/plugin/kind.js';
import { httpCalls } from './http-calls.js';

/** Reports names, in a scenario or in what scenarios share, that its journey lacks; otherwise a misspelt one would just never match. */
export function checkScenario(place: Place, definition: Definition): void {
  const names = namesOf(definition);
  const check = (it: Place, known: ReadonlySet<string>, code: Code, what: string): void => {
    if (typeof it.value !== 'string' || known.has(it.value)) return;
    it.error(code, `${definition.name} has no ${what} "${it.value}".`, didYouMean(it.value, known));
  };
  const state = (it: Place) => check(it, names.states, 'SCENARIO_STATE_UNKNOWN', 'state');
  const step = (it: Place) => check(it, names.steps, 'SCENARIO_STEP_UNKNOWN', 'step');

  for (const input of [...place.at('steps').items(), ...place.at('signals').items()]) {
    if (input.at('expect').at('code').value !== 'STEP_UNKNOWN') step(input.at('step'));
    state(input.at('afterState'));
    state(input.at('expect').at('currentState'));
    input.at('expect').at('activeSteps').items().forEach(step);
  }
  state(place.at('cancel').at('afterState'));
  for (const call of [...place.at('backend').items(), ...expectedCalls(place.at('expect'))]) {
    check(call.at('operation'), names.operations, 'SCENARIO_OPERATION_UNKNOWN', 'call of the operation');
  }
  for (const [key, value] of place.at('config').entries()) {
    if (names.config.has(key)) continue;
    const hint = didYouMean(key, names.config);
    value.error('SCENARIO_CONFIG_UNKNOWN', `${definition.name} declares no configuration key "${key}".`, hint, 'key');
  }
  const expect = place.at('expect');
  expect.at('states').items().forEach(state);
  expect.at('activeSteps').items().forEach(step);
  state(expect.at('currentState'));
  check(expect.at('outcomeId'), names.outcomes, 'SCENARIO_OUTCOME_UNKNOWN', 'outcome');
}

function expectedCalls(expect: Place): Place[] {
  return [...expect.at('calls').items(), ...expect.at('callsInAnyOrder').items()];
}

function namesOf(definition: Definition) {
  const plugins = [...allStates(definition)].flatMap(({ state }) =>
    state.type === 'task' && state.task.kind === pluginKind ? (state.task as PluginTask).plugin : [],
  );
  const operations = httpCalls(definition).flatMap(({ operation }) => operation ?? []);
  return {
    states: new Set([...allStates(definition)].map(({ id }) => id)),
    operations: new Set([...operations, ...plugins]),
    steps: stepIds(definition),
    outcomes: new Set(definition.outcomes.map(({ id }) => id)),
    config: new Set(Object.keys(definition.platformConfig)),
  };
}
