import type { Expression, Graph } from '../../definition/definition.js';
import { describe, given, integer, optionalIdentifier } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { graphReading, readGraph } from '../../reading/graph.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { blockOf } from '../state.js';
import { concurrency, schema } from './schema.js';

/** One graph for each item of a list. */
export interface MapState {
  type: 'map';
  items: Expression;
  /** Computes an item's first context; empty without it. */
  input?: Expression;
  maxConcurrency: number;
  /** How many items may fail; absent where all may. */
  tolerated?: number;
  /** What runs for each item. */
  graph: Graph;
  /** What becomes of the results; the list of them without it. */
  mapper?: Expression;
  resultVar?: string;
  next: string;
}

/** What expressions in the states of a map see beside what all others see. */
const itemBindings = ['item', 'index'] as const;

/** Reads a `map`. */
export function read(state: Place, within: GraphReading, id: string): MapState | undefined {
  const next = nextOf(state, within);
  if (!state.report.compat) state.at('type').error('MAP_EXTENSION', 'The language has no map.');
  const block = blockOf(state, { type: 'map', schema });
  if (!block) return undefined;
  const items = holder(block.at('items'), block, within, []);
  const input = block.has('input') ? holder(block.at('input'), block, within, itemBindings) : undefined;
  const maxConcurrency = readConcurrency(block.at('maxConcurrency'));
  const tolerated = readErrorPolicy(block.at('errorPolicy'));
  const graph = readItemGraph(block, within, id);
  const mapper = hasMapper(block) ? mapperIn(block, siteIn(within, 'mapper', ['results', 'failures'])) : undefined;
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  if (mapper && resultVar === undefined)
    block.warn('MAP_NO_RESULTVAR', 'The mapper has nowhere to put its result.', undefined, 'key');
  return (
    items && {
      type: 'map',
      items,
      ...given('input', input),
      maxConcurrency,
      ...(tolerated !== 'all' && { tolerated }),
      graph,
      ...given('mapper', mapper),
      ...given('resultVar', resultVar),
      next,
    }
  );
}

/** A block with a mapper of its own. */
function holder(
  place: Place,
  around: Place,
  within: GraphReading,
  bindings: readonly string[],
): Expression | undefined {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    return mapperIn(place, siteIn(within, 'mapper', bindings));
  }
  const written =
    place.has('lang') || place.has('expr') ? 'Write the expression one level deeper, under mapper.' : undefined;
  (place.value === undefined ? around : place).error(
    'MAP_ITEMS',
    place.value === undefined
      ? 'The map does not say what its items are.'
      : `It must be an object with mapper or mapperRef, not ${place.object ? 'one without' : describe(place.value)}.`,
    written,
    'key',
  );
  return undefined;
}

function readConcurrency(place: Place): number {
  const { usual, most } = concurrency;
  if (place.value === undefined) return usual;
  const given = integer(place, 'MAP_CONCURRENCY', 'maxConcurrency');
  if (given !== undefined && given > most)
    place.error('MAP_CONCURRENCY', `maxConcurrency is at most ${most}, not ${given}.`);
  return given ?? usual;
}

function readErrorPolicy(place: Place): number | 'all' {
  if (place.value === undefined || place.value === 'first') return 0;
  if (place.value === 'all') return 'all';
  if (place.has('tolerate')) {
    place.only(['tolerate']);
    return integer(place.at('tolerate'), 'MAP_ERROR_POLICY', 'tolerate', 0) ?? 0;
  }
  const hint = typeof place.value === 'string' ? didYouMean(place.value, ['first', 'all']) : undefined;
  place.error(
    'MAP_ERROR_POLICY',
    `errorPolicy must be first, all or { tolerate: <n> }, not ${describe(place.value)}.`,
    hint,
  );
  return 0;
}

function readItemGraph(block: Place, within: GraphReading, id: string): Graph {
  const bindings = [...within.bindings, ...itemBindings];
  const inner = graphReading(within.reading, 'branch', `the map "${id}"`, block, bindings, within);
  const graph = readGraph(block, inner, { empty: 'STATES_EMPTY', start: 'MAP_START' });
  if (inner.broken) within.broken = true;
  return graph;
}
