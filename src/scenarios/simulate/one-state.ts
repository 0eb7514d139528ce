import type { Definition, State } from '../../definition/definition.js';
import { didYouMean } from '../../document/suggest.js';
import { refuse } from '../../problems/problem.js';
import { allStates, exitsOf } from '../../states/graphs.js';

/** A journey that is nothing but one of its states: wherever that leads is an end. */
export function oneState(definition: Definition, wanted: string): { definition: Definition; ends: ReadonlySet<State> } {
  const all = [...allStates(definition)];
  const found = all.filter(({ id, pointer }) => pointer === wanted || id === wanted);
  const [one] = found;
  if (!one) {
    const hint = didYouMean(wanted, new Set(all.map(({ id }) => id)));
    refuse('STATE_UNKNOWN', `${definition.name} has no state '${wanted}'.`, hint === undefined ? {} : { hint });
  }
  const own = found.find(({ pointer }) => pointer.startsWith('/spec/states/') && pointer.split('/').length === 4);
  if (found.length > 1 && !own)
    refuse('STATE_UNKNOWN', `${definition.name} has ${found.length} states '${wanted}'.`, {
      hint: `Name one by its place: ${found.map(({ pointer }) => pointer).join(', ')}.`,
    });
  const { id, state } = own ?? one!;
  const { compensation: _, input: __, output: ___, ...rest } = definition;
  const ends = Object.fromEntries(
    exitsOf(state)
      .filter((next) => next !== id)
      .map((next) => [next, { type: 'succeed' } as State]),
  );
  // The others stay: runs of a schedule that the state makes begin there.
  const states = { ...definition.states, [id]: state, ...ends };
  return { definition: { ...rest, start: id, states, outcomes: [] }, ends: new Set(Object.values(ends)) };
}
