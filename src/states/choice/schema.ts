import { part, shape } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** JSON Schema of `choice`. */
export const schema = stateSchema(
  'choice',
  'Goes on along the first branch whose predicate is true.',
  {
    choices: {
      type: 'array',
      minItems: 1,
      items: shape(
        'A branch.',
        { when: shape('The condition.', { predicate: part('predicate') }, ['predicate']), next },
        ['when', 'next'],
      ),
    },
    default: { ...next, description: 'Where to go when no predicate is true.' },
  },
  ['choices'],
);
