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
        },
        errorPolicy: {
          description:
            'first (default): the first item that fails ends the map as a failure. all: every item runs, whatever fails. tolerate: so many may fail.',
          oneOf: [
            { enum: ['first', 'all'] },
            shape('How many items may fail.', { tolerate: wholeOf('One more ends the map as a failure.', 0) }, [
              'tolerate',
            ]),
          ],
        },
        start: part('stateId'),
        states: part('states'),
        ...mapperFields,
        resultVar: part('identifier'),
      },
      ['items', 'start', 'states'],
    ),
    next,
  },
  ['map', 'next'],
);
