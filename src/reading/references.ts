import { capital, describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { GraphReading } from './reading.js';

/** A reference to a state of the same graph; anything else is reported with what was probably meant. */
export function stateRef(place: Place, within: GraphReading): string {
  const { value } = place;
  if (typeof value === 'string' && within.ids.has(value)) return value;
  within.broken = true;
  if (typeof value !== 'string') {
    place.error('REF_UNKNOWN', `A state id is expected, not ${describe(value)}.`, didYouMean('', within.ids));
    return '';
  }
  const elsewhere = otherGraph(value, within);
  if (elsewhere !== undefined)
    place.error('SUBJ_STATE_REF_LEAK', `"${value}" is a state of ${elsewhere}, not of ${within.name}.`);
  else place.error('REF_UNKNOWN', `${capital(within.name)} has no state "${value}".`, outerHint(value, within));
  return value;
}

/** The `next` of a state that must have one. */
export function nextOf(state: Place, within: GraphReading): string {
  if (state.has('next')) return stateRef(state.at('next'), within);
  within.broken = true;
  // In the wrong place it is told already.
  const type = state.at('type').value;
  if (typeof type === 'string' && state.at(type).has('next')) return '';
  if (state.misspells('next', ['next', 'type', String(type)])) return '';
  state.error('NEXT_MISSING', 'The state does not say what comes next.', undefined, 'key');
  return '';
}

/** A subjourney's states are invisible outside, and the outside is invisible to it; the same holds for a branch, through REF_UNKNOWN. */
function otherGraph(id: string, within: GraphReading): string | undefined {
  const { reading, role } = within;
  for (let outer = within.parent; outer; outer = outer.parent) if (outer.ids.has(id)) return undefined;
  if (role === 'subjourney') return reading.topStates.has(id) ? 'the journey itself' : undefined;
  for (const [name, graph] of reading.root.at('spec').at('subjourneys').entries())
    if (graph.at('states').has(id)) return `the subjourney "${name}"`;
  return undefined;
}

function outerHint(id: string, within: GraphReading): string | undefined {
  for (let outer = within.parent; outer; outer = outer.parent)
    if (outer.ids.has(id))
      return `"${id}" is a state of ${outer.name}; ${within.name} cannot leave its own graph. End it with succeed, and go on with the next of the state around it.`;
  return didYouMean(id, within.ids);
}
