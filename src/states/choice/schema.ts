import { listOf, part, shape } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** JSON Schema of `choice`. */
export const schema = stateSchema(
  'choice',
  'Goes on along the first branch whose predicate is true.',
  {
    choices: listOf(
      'The branches, tried in this order.',
      shape('A branch.', { when: shape('The condition.', { predicate: part('predicate') }, ['predicate']), next }, [
        'when',
        'next',
      ]),
      { minItems: 1 },
    ),
    default: { ...next, description: 'Where to go when no predicate is true.' },
  },
  ['choices'],
  [
    {
      choices: [
        { when: { predicate: { lang: 'dataweave', expr: 'context.answer.ok' } }, next: 'done' },
        { when: { predicate: { mapperRef: 'isLarge' } }, next: 'approve' },
      ],
      default: 'refused',
    },
  ],
);
