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
        resultVar: part('identifier', 'The context variable that takes the result.'),
        resultKind: { ...wordOf('output (default) or the whole outcome.', 'output', 'outcome'), default: 'output' },
        onFailure: shape('What a failure does.', {
          behavior: {
            ...wordOf('propagate (default) fails here; capture goes on.', 'propagate', 'capture'),
            default: 'propagate',
          },
        }),
      },
      ['ref'],
    ),
    next,
  },
  ['subjourney', 'next'],
  [
    {
      subjourney: {
        ref: 'check',
        input: { mapper: { lang: 'dataweave', expr: '{ person: context.buyer }' } },
        resultVar: 'verdict',
        resultKind: 'outcome',
        onFailure: { behavior: 'capture' },
      },
      next: 'done',
    },
  ],
);
