import { capital, describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Scope } from './reading.js';

/** A reference to a state of the same graph; anything else is reported with what was probably meant. */
export function stateRef(place: Place, scope: Scope): string {
  const { value } = place;
  if (typeof value === 'string' && scope.ids.has(value)) return value;
  scope.broken = true;
  if (typeof value !== 'string') {
    place.error('REF_UNKNOWN', `A state id is expected, not ${describe(value)}.`, didYouMean('', scope.ids));
    return '';
  }
  const elsewhere = otherGraph(value, scope);
  if (elsewhere !== undefined)
    place.error('SUBJ_STATE_REF_LEAK', `"${value}" is a state of ${elsewhere}, not of ${scope.name}.`);
  else place.error('REF_UNKNOWN', `${capital(scope.name)} has no state "${value}".`, outerHint(value, scope));
  return value;
}

/** The `next` of a state that must have one. */
export function nextOf(state: Place, scope: Scope): string {
  if (state.has('next')) return stateRef(state.at('next'), scope);
  scope.broken = true;
  state.error('NEXT_MISSING', 'The state does not say what comes next.', undefined, 'key');
  return '';
}

/** A subjourney's states are invisible outside, and the outside is invisible to it; a branch's likewise, by REF_UNKNOWN. */
function otherGraph(id: string, scope: Scope): string | undefined {
  const { reading, role } = scope;
  for (let outer = scope.parent; outer; outer = outer.parent) if (outer.ids.has(id)) return undefined;
  if (role === 'subjourney') return reading.topStates.has(id) ? 'the journey itself' : undefined;
  for (const [name, graph] of reading.root.at('spec').at('subjourneys').entries())
    if (graph.at('states').has(id)) return `the subjourney "${name}"`;
  return undefined;
}

function outerHint(id: string, scope: Scope): string | undefined {
  for (let outer = scope.parent; outer; outer = outer.parent)
    if (outer.ids.has(id))
      return `"${id}" is a state of ${outer.name}; a branch cannot leave its own graph. End the branch with succeed and go on with the parallel's next.`;
  return didYouMean(id, scope.ids);
}
