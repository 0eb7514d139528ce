import type { Graph, State } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { ReadGraph } from '../../reading/graph.js';
import { deepStates, isStep } from '../../states/graphs.js';
import { allGraphs, withInner } from './graphs.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/**
 * What the states of a map cannot do for each item, nor what they call: wait for input, because a step is one of the whole run; and run
 * a map themselves, because that would have any number of calls in flight.
 */
export function checkItems(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states))
      if (state.type === 'map')
        for (const inner of withInner(state.graph, place.at('states').at(id).at('map')))
          for (const [innerId, innerState] of Object.entries(inner.graph.states))
            checkState(innerId, innerState, inner.place.at('states').at(innerId), subjourneys);
}

function checkState(id: string, state: State, place: Place, subjourneys: Subjourneys): void {
  if (isStep(state)) place.error('MAP_STEP', `"${id}" waits for input in every item.`, undefined, 'key');
  if (isMap(state)) place.error('MAP_NESTED', `"${id}" is a map inside a map.`, undefined, 'key');
  if (state.type !== 'subjourney' || !Object.hasOwn(subjourneys, state.ref)) return;
  const called = subjourneys[state.ref]!;
  const within = [...deepStates(called, called.start, subjourneys, new Set([state.ref]))];
  const step = within.find((met) => isStep(met.state));
  const map = within.find((met) => isMap(met.state));
  const calls = `The subjourney "${state.ref}"`;
  if (step) place.error('MAP_STEP', `${calls} waits for input at "${step.id}", in every item.`, undefined, 'key');
  if (map) place.error('MAP_NESTED', `${calls} runs the map "${map.id}", in every item.`, undefined, 'key');
}

function isMap(state: State): boolean {
  return state.type === 'map';
}
