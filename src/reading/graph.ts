import type { Graph, State } from '../definition/definition.js';
import { capital, describe, named } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Code } from '../problems/registry.js';
import type { GraphReading, Reading } from './reading.js';

/** A graph that was read, kept with its place for the rules that look across states. */
export interface ReadGraph {
  graph: Graph;
  within: GraphReading;
  place: Place;
  id: string;
}

/** The codes for findings about one kind of graph. */
export interface GraphCodes {
  empty: Code;
  start: Code;
}

/** Blocks of `spec` whose names are near those of a graph. */
const specGraph = ['spec'];

/** Reads `start` and `states` of one graph, states and references included. */
export function readGraph(place: Place, within: GraphReading, codes: GraphCodes): Graph {
  const graph: Graph = { start: '', states: Object.create(null) as Record<string, State> };
  const all = place.at('states');
  // A misspelt block has been told already; without it there is nothing to look at.
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
      `${capital(within.name)} has no states.`,
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
    place.error(
      code,
      `${capital(within.name)} does not say where it starts.`,
      'Add start with the id of a state.',
      'key',
    );
  else if (typeof start.value !== 'string')
    start.error(code, `start must be the id of a state, not ${describe(start.value)}.`, hint);
  else start.error(code, `${capital(within.name)} has no state ${named(start.value)} to start at.`, hint);
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
    place.error('STATE_TYPE', `A state is an object with a type, not ${describe(place.value)}.`, indented);
    return undefined;
  }
  const type = place.at('type').value;
  const reader = typeof type === 'string' ? states.get(type) : undefined;
  if (reader) return reader.read(place, within, id);
  if (type === undefined)
    place.error('STATE_TYPE', 'The state has no type.', indented ?? `Known: ${[...states.keys()].join(', ')}.`, 'key');
  else place.at('type').error('STATE_TYPE', `There is no state type ${named(type)}.`, didYouMean(type, states.keys()));
  return undefined;
}

/** The ids of a graph, before any of its states is read. */
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
