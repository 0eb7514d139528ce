import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { capitalized, describeType, quoteName } from '../../base/document/read-fields.js';
import type { Code } from '../../base/problems/registry.js';
import type { Graph, State } from '../../engine/definition/definition.js';
import type { GraphReading, Reading } from './document-reading-state.js';
import { namedReader } from './document-reading-state.js';

/** A normalised graph together with its place in the document, for rules that concern several states. */
export interface ReadGraph {
  graph: Graph;
  within: GraphReading;
  place: Place;
  id: string;
}

/** Codes of the findings about a graph without states and an unknown start. */
export interface GraphCodes {
  empty: Code;
  start: Code;
}

/** Field names of `spec` that are similar to those of a graph. */
const specGraph = ['spec'];

/** Reads `start` and `states` of one graph, including each state and its references. */
export function readGraph(place: Place, within: GraphReading, codes: GraphCodes): Graph {
  const graph: Graph = { start: '', states: Object.create(null) as Record<string, State> };
  const all = place.at('states');
  // A misspelt `states` is already reported; without it there is nothing to check.
  if (
    !place.has('states') &&
    place.misspells('states', [...(within.role === 'main' ? specGraph : []), 'start', 'states'])
  ) {
    within.broken = true;
    return graph;
  }
  if (!all.object || Object.keys(all.object).length === 0) {
    (all.value === undefined ? place : all).error(
      codes.empty,
      `${capitalized(within.name)} has no states.`,
      undefined,
      'key',
    );
    within.broken = true;
  }
  graph.start = startOf(place, within, codes.start);
  for (const [id, state] of all.entries()) {
    const read = readState(state, within, id);
    if (read) graph.states[id] = read;
    else within.broken = true;
  }
  return graph;
}

function startOf(place: Place, within: GraphReading, code: Code): string {
  const start = place.at('start');
  if (typeof start.value === 'string' && within.ids.has(start.value)) return start.value;
  within.broken = true;
  const hint = didYouMean(start.value, within.ids);
  if (start.value === undefined)
    place.error(code, `${capitalized(within.name)} has no start.`, 'Add start with the id of a state.', 'key');
  else if (typeof start.value !== 'string')
    start.error(code, `start must be the id of a state, not ${describeType(start.value)}.`, hint);
  else start.error(code, `${capitalized(within.name)} has no state ${quoteName(start.value)} to start at.`, hint);
  return '';
}

function readState(place: Place, within: GraphReading, id: string): State | undefined {
  if (id.trim() === '') place.error('STATE_ID', 'A state id must not be empty.', undefined, 'key');
  const { states } = within.reading.words;
  const field = [...states.values()].some(({ schema }) => Object.hasOwn(schema.properties, id));
  const indented = field
    ? `If ${id} is meant as a field of the state above it, indent it as far as that state's type.`
    : undefined;
  if (!place.object) {
    place.error('STATE_TYPE', `A state is an object with a type, not ${describeType(place.value)}.`, indented);
    return undefined;
  }
  const reader = namedReader(place, 'type', states);
  if (reader) return reader.read(place, within, id);
  const type = place.at('type').value;
  if (!place.has('type'))
    place.error('STATE_TYPE', 'The state has no type.', indented ?? `Known: ${[...states.keys()].join(', ')}.`, 'key');
  else
    place.at('type').error('STATE_TYPE', `There is no state type ${quoteName(type)}.`, didYouMean(type, states.keys()));
  return undefined;
}

/** The state ids of a graph, before any of its states is read. */
export function idsOf(place: Place): ReadonlySet<string> {
  return new Set(Object.keys(place.at('states').object ?? {}));
}

/** The reading of the graph at `place`. */
export function graphReading(
  reading: Reading,
  role: GraphReading['role'],
  name: string,
  place: Place,
  bindings: readonly string[] = [],
  parent?: GraphReading,
): GraphReading {
  return { reading, role, name, ids: idsOf(place), bindings, broken: false, ...(parent ? { parent } : {}) };
}
