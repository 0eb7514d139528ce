import { listOf, mapperFields, part, shape, textOf, wordOf } from '../../document/schema-parts.js';
import type { JsonObject } from '../../json/value.js';
import { next, stateSchema } from '../state.js';

const branch = shape(
  'A graph that runs beside the others, on its own copy of the context.',
  {
    name: textOf('Its name in join.mapper.'),
    start: part('stateId', 'The state at which the branch starts.'),
    states: part('states', 'The graph of the branch; it ends with succeed or fail.'),
  },
  ['name', 'start', 'states'],
);

const join = shape(
  'When to go on and what to keep.',
  {
    strategy: wordOf(
      'allOf waits for every branch; the others go on with the first.',
      'allOf',
      'anyOf',
      'firstCompleted',
    ),
    errorPolicy: {
      ...wordOf('What a failed branch does; collectAll by default.', 'collectAll', 'failFast', 'ignoreErrors'),
      default: 'collectAll',
    },
    mapper: part('expression', 'Computes the result from branches and branchOutcomes; without it, changes are merged.'),
    mapperRef: mapperFields.mapperRef,
    resultVar: part('identifier', 'The context variable that takes the result of the mapper.'),
  },
  ['strategy'],
);

/** JSON Schema of `parallel`. */
export const schema = stateSchema(
  'parallel',
  'Runs branches side by side and joins them.',
  {
    parallel: shape(
      'The branches and how they join.',
      { branches: listOf('The branches.', branch, { minItems: 1 }), join },
      ['branches', 'join'],
    ),
    next,
  },
  ['parallel'],
  [
    {
      parallel: {
        branches: [
          { name: 'price', start: 'ask', states: branchStates('https://prices.example.com/lamp') },
          { name: 'stock', start: 'ask', states: branchStates('https://stock.example.com/lamp') },
        ],
        join: {
          strategy: 'allOf',
          errorPolicy: 'collectAll',
          mapper: {
            lang: 'dataweave',
            expr: '{ price: branches.price.answer.body, stock: branches.stock.answer.body }',
          },
          resultVar: 'page',
        },
      },
      next: 'done',
    },
  ],
);

function branchStates(url: string): JsonObject {
  return {
    ask: { type: 'task', task: { kind: 'httpCall:v1', method: 'GET', url, resultVar: 'answer' }, next: 'done' },
    done: { type: 'succeed' },
  };
}
