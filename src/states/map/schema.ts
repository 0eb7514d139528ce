import { mapperFields, part, shape, wholeOf } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** How many items run side by side unless the document says otherwise, and at most. */
export const concurrency = { usual: 10, most: 100 };

/** JSON Schema of `map`. */
export const schema = stateSchema(
  'map',
  'Runs the same states for each item of a list, some of them side by side, and collects the results in the order of the list. An extension, refused by --strict.',
  {
    map: shape(
      'The items, what is done for each, and what becomes of the results.',
      {
        items: part('mapperHolder', 'Computes the list; it sees the context.'),
        input: part(
          'mapperHolder',
          'Computes the context that an item begins with, an empty object when left out; it sees context, item and index.',
        ),
        maxConcurrency: {
          ...wholeOf(`How many items run side by side; ${concurrency.usual} by default, 1 for one after the other.`),
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
        start: part('stateId', 'The state at which an item starts.'),
        states: part('states', 'The graph that runs for each item.'),
        mapper: part('expression', 'Computes the result from results and failures; the list of results when left out.'),
        mapperRef: mapperFields.mapperRef,
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
        maxConcurrency: 20,
        errorPolicy: { tolerate: 3 },
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
