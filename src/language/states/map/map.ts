import { didYouMean } from '../../../base/document/did-you-mean.js';
import type { Place } from '../../../base/document/placed-value.js';
import {
  asExpression,
  describeType,
  ifDefined,
  integer,
  optionalIdentifier,
} from '../../../base/document/read-fields.js';
import { mapperFields, part, shape, textOrMapper, wholeOf } from '../../../base/document/schema-builders.js';
import { canonical, type Json } from '../../../base/json/value.js';
import { timeless } from '../../../base/time/time-scale.js';
import type { Expression, Graph } from '../../../engine/definition/definition.js';
import { type Frame, progressOf } from '../../../engine/frame.js';
import { withShape } from '../../../expressions/value-shape.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { hasMapper, mapper, mapperIn, predicate, siteIn } from '../../read/read-expressions-and-mappers.js';
import { graphReading, readGraph } from '../../read/read-graph.js';
import { nextOf } from '../../read/read-state-references.js';
import { noData, variable } from '../context-reads-and-writes.js';
import {
  awaitsNothing,
  blockOf,
  type ErrorPolicy,
  type MigrationConflict,
  next,
  noGraphs,
  policyDifference,
  type StateDifference,
  type StateMigration,
  type StateType,
  stateSchema,
  toNext,
} from '../state-type.js';
import { executeMap } from './execute-map.js';
import type { MapProgress } from './map-progress.js';
import { isTooMany } from './run-items.js';

/** One graph for each item of a list. */
export interface MapState {
  type: 'map';
  items: Expression;
  /** Computes an item's first context; empty without it. */
  input?: Expression;
  /** Computes the name of an item in the addresses of its steps; its index without it. */
  key?: Expression;
  maxConcurrency: number;
  /** The number of items that may fail; absent if all may. */
  tolerated?: number;
  /** Evaluated after each item; closes the remaining items when it holds. */
  until?: Expression;
  /** The graph that runs for each item. */
  graph: Graph;
  /** Computes the result of the map; the list of results without it. */
  mapper?: Expression;
  resultVar?: string;
  next: string;
}

/** The default and the maximum number of items that run concurrently. */
const concurrency = { usual: 10, most: 100 };

/** JSON Schema of `map`. */
const schema = stateSchema(
  'map',
  'Runs the same states for each item of a list, several items concurrently, and collects the results in the order of the list. An extension, refused by --strict.',
  {
    map: shape(
      'The items, the states that run for each, and the use of the results.',
      {
        items: textOrMapper('Computes the list; it sees the context. A text is the expression, an extension.'),
        input: part(
          'mapperHolder',
          'Computes the context that an item begins with, an empty object when left out; it sees context, item and index.',
        ),
        key: textOrMapper(
          'Names each item in the addresses of its steps, like approve/ada; it sees context, item and index. The index when left out. A text is the expression.',
        ),
        maxConcurrency: {
          ...wholeOf(
            `How many items run concurrently; ${concurrency.usual} by default, 1 for one after the other. Items that wait for submissions do not count.`,
          ),
          maximum: concurrency.most,
          default: concurrency.usual,
        },
        errorPolicy: {
          description:
            'first (default): the first item that fails ends the map as a failure. all: every item runs, whatever fails. tolerate: so many may fail.',
          default: 'first',
          oneOf: [
            { enum: ['first', 'all'] },
            shape('How many items may fail.', { tolerate: wholeOf('One more ends the map as a failure.', 0) }, [
              'tolerate',
            ]),
          ],
        },
        until: part(
          'predicate',
          'Evaluated after each item; when it holds, the remaining items are closed and the map continues. It sees results, failures and context.',
        ),
        start: part('stateId', 'The state at which an item starts.'),
        states: part('states', 'The graph that runs for each item.'),
        mapper: part(
          'expression',
          'Computes the result from results and failures, with until also from closed; the list of results when left out.',
        ),
        mapperRef: mapperFields.mapperRef,
        expr: mapperFields.expr,
        lang: mapperFields.lang,
        resultVar: part('identifier', 'The context variable that takes the result.'),
      },
      ['items', 'start', 'states'],
    ),
    next,
  },
  ['map', 'next'],
  [
    {
      map: {
        items: { mapper: { lang: 'dataweave', expr: 'context.lines' } },
        input: { mapper: { lang: 'dataweave', expr: '{ warehouse: context.warehouse }' } },
        key: 'item.sku',
        maxConcurrency: 20,
        errorPolicy: { tolerate: 3 },
        until: { expr: 'sizeOf(results filter $ != null) >= 10' },
        start: 'ask',
        states: {
          ask: {
            type: 'task',
            task: {
              kind: 'httpCall:v1',
              method: 'GET',
              url: 'https://stock.example.com/${item.sku}',
              resultVar: 'stock',
            },
            next: 'done',
          },
          done: { type: 'succeed', outputVar: 'stock' },
        },
        mapper: { lang: 'dataweave', expr: '{ found: results filter $ != null, missing: failures map $.index }' },
        resultVar: 'stock',
      },
      next: 'done',
    },
  ],
);

/** Runs one graph for each item of a list. */
export const map: StateType<MapState> = {
  type: 'map',
  isExtension: true,
  impliedBy: ['map'],
  schema,
  read,
  execute: executeMap,
  instant: false,
  exits: toNext,
  awaits: awaitsNothing,
  caption: ({ items, maxConcurrency }) => `each of ${items.expr}, ${maxConcurrency} at once`,
  inner: {
    ...noGraphs,
    map: (state, change) => ({ ...state, graph: change(state.graph, ['map']) }),
    runs: ({ maxConcurrency }) => ({ itemsAtOnce: maxConcurrency }),
  },
  data: {
    ...noData,
    writes: ({ resultVar }) => variable(resultVar),
    after({ graph, resultVar }, context, flow) {
      flow.walk(graph, ['map'], 'anything');
      return resultVar === undefined ? context : withShape(context, [resultVar], 'anything');
    },
  },
  scale: timeless,
  compare: (before, after, id) => [
    ...policyDifference(id, policyOf(before), policyOf(after)),
    ...keyDifference(id, before, after),
  ],
  migrate,
};

function policyOf({ tolerated }: MapState): ErrorPolicy {
  const name = tolerated === undefined ? 'all' : tolerated === 0 ? 'first' : `{ tolerate: ${tolerated} }`;
  return { name, failures: tolerated ?? Number.POSITIVE_INFINITY };
}

/** Clients submit to the steps of an item by its key. */
function keyDifference(id: string, { key: before }: MapState, { key: after }: MapState): StateDifference[] {
  if (canonical((before ?? null) as Json) === canonical((after ?? null) as Json)) return [];
  const how = after === undefined ? 'by their index' : before === undefined ? 'by key' : 'by another key';
  return [{ breaking: true, message: `The items of '${id}' are now named ${how} in the addresses of their steps.` }];
}

function migrate(
  before: MapState,
  after: MapState,
  frame: Frame,
  migration: StateMigration,
): MigrationConflict | undefined {
  const progress = progressOf<MapProgress>(frame, 'map');
  if (!progress) return undefined;
  const failed = progress.failures.length;
  if (isTooMany(failed, after))
    return migration.misfit(
      `Its state '${frame.at}' tolerates ${after.tolerated} failed items, and ${failed} have failed already.`,
    );
  for (const item of progress.live) {
    const found = migration.inner(before.graph, after.graph, item, ['map']);
    if (found) return found;
  }
  return undefined;
}

/** Additional bindings of expressions in the states of a map. */
const itemBindings = ['item', 'index'] as const;

/** Additional bindings of `until`, and of the mapper of the result. */
const resultBindings = ['results', 'failures'] as const;

/** Reads a `map`. */
function read(state: Place, within: GraphReading, id: string): MapState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, { type: 'map', schema });
  if (!block) return undefined;
  const items = computedField(block.at('items'), block, within, [], true);
  const input = block.has('input') ? computedField(block.at('input'), block, within, itemBindings) : undefined;
  const key = block.has('key')
    ? computedField(block.at('key'), block, within, itemBindings, true, 'MAP_KEY')
    : undefined;
  const maxConcurrency = readConcurrency(block.at('maxConcurrency'));
  const tolerated = readErrorPolicy(block.at('errorPolicy'));
  const until = block.has('until')
    ? predicate(block.at('until'), siteIn(within, 'predicate', resultBindings))
    : undefined;
  const graph = readItemGraph(block, within, id);
  const bindings = [...resultBindings, ...(block.has('until') ? ['closed'] : [])];
  const result = hasMapper(block) ? mapperIn(block, siteIn(within, 'mapper', bindings)) : undefined;
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  if (result && resultVar === undefined)
    block.warn('MAP_NO_RESULTVAR', 'The mapper has nowhere to put its result.', undefined, 'key');
  return (
    items && {
      type: 'map',
      items,
      ...ifDefined('input', input),
      ...ifDefined('key', key),
      maxConcurrency,
      ...ifDefined('until', until),
      ...(tolerated !== 'all' && { tolerated }),
      graph,
      ...ifDefined('mapper', result),
      ...ifDefined('resultVar', resultVar),
      next,
    }
  );
}

/** Reads a field that is always computed. */
function computedField(
  place: Place,
  around: Place,
  within: GraphReading,
  bindings: readonly string[],
  /** A text cannot be mistaken for a literal. */
  acceptsText = false,
  code: 'MAP_ITEMS' | 'MAP_KEY' = 'MAP_ITEMS',
): Expression | undefined {
  if (hasMapper(place) || (acceptsText && typeof place.value === 'string'))
    return mapper(place, siteIn(within, 'mapper', bindings));
  (place.value === undefined ? around : place).error(
    code,
    place.value === undefined ? 'The map has no items.' : `It must be an expression, not ${describeType(place.value)}.`,
    place.value === undefined ? undefined : asExpression,
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
    `errorPolicy must be first, all or { tolerate: <n> }, not ${describeType(place.value)}.`,
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
