import { part, shape, textOf, wordOf } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** JSON Schema of `subjourney`. */
export const schema = stateSchema(
  'subjourney',
  'Calls a graph of spec.subjourneys with a context of its own.',
  {
    subjourney: shape(
      'The call.',
      {
        ref: textOf('An id under spec.subjourneys.'),
        input: part('mapperHolder', 'Computes the called graph’s context; an empty object when left out.'),
        resultVar: part('identifier'),
        resultKind: wordOf('output (default) or the whole outcome.', 'output', 'outcome'),
        onFailure: shape('What a failure does.', {
          behavior: wordOf('propagate (default) fails here; capture goes on.', 'propagate', 'capture'),
        }),
      },
      ['ref'],
    ),
    next,
  },
  ['subjourney', 'next'],
);
