import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { capitalized, describeType } from '../../base/document/read-fields.js';
import type { GraphReading } from './document-reading-state.js';

/** Reads a reference to a state of the same graph. Reports any other value, with a suggestion. */
export function stateRef(place: Place, within: GraphReading): string {
  const { value } = place;
  if (typeof value === 'string' && within.ids.has(value)) return value;
  within.broken = true;
  if (typeof value !== 'string') {
    place.error('REF_UNKNOWN', `A state id is expected, not ${describeType(value)}.`, didYouMean('', within.ids));
    return '';
  }
  const elsewhere = otherGraph(value, within);
  if (elsewhere !== undefined)
    place.error('SUBJ_STATE_REF_LEAK', `"${value}" is a state of ${elsewhere}, not of ${within.name}.`);
  else place.error('REF_UNKNOWN', `${capitalized(within.name)} has no state "${value}".`, outerHint(value, within));
  return value;
}

/** The `next` of a state that must have one. */
export function nextOf(state: Place, within: GraphReading): string {
  if (state.has('next')) return stateRef(state.at('next'), within);
  within.broken = true;
  // A `next` in the wrong place is already reported.
  if (state.entries().some(([, field]) => field.has('next'))) return '';
  if (state.misspells('next', ['next', 'type', String(state.at('type').value)])) return '';
  state.error('NEXT_MISSING', 'The state has no next.', undefined, 'key');
  return '';
}

/** The other graph that has a state with this id, for SUBJ_STATE_REF_LEAK. Outer graphs of a branch do not count: those are REF_UNKNOWN. */
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
      return `"${id}" is a state of ${outer.name}; ${within.name} cannot leave its own graph. End it with succeed, and continue with the next of the state around it.`;
  return didYouMean(id, within.ids);
}
