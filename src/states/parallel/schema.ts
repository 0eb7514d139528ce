import { mapperFields, part, shape, textOf, wordOf } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

const branch = shape(
  'A graph that runs beside the others, on its own copy of the context.',
  { name: textOf('Its name in join.mapper.'), start: part('stateId'), states: part('states') },
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
    errorPolicy: wordOf('What a failed branch does; collectAll by default.', 'collectAll', 'failFast', 'ignoreErrors'),
    ...mapperFields,
    resultVar: part('identifier'),
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
      { branches: { type: 'array', minItems: 1, items: branch }, join },
      ['branches', 'join'],
    ),
    next,
  },
  ['parallel'],
);
