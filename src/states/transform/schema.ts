import { mapperFields, part, shape } from '../../document/schema-parts.js';
import { next, old, stateSchema } from '../state.js';

/** JSON Schema of `transform`. */
export const schema = stateSchema(
  'transform',
  'Computes a value and writes it into the context.',
  {
    transform: {
      ...shape('What to compute and where it goes.', {
        ...mapperFields,
        target: part('target'),
        resultVar: part('identifier', 'The context variable that takes the value.'),
      }),
      oneOf: [{ required: ['mapper'] }, { required: ['mapperRef'] }],
    },
    resultVar: old('Old place of transform.resultVar.'),
    next,
  },
  ['transform', 'next'],
  [
    {
      transform: {
        mapper: { lang: 'dataweave', expr: '{ total: sum(context.lines map ((line) -> line.price)) }' },
        target: { kind: 'var' },
        resultVar: 'summary',
      },
      next: 'done',
    },
    { transform: { mapperRef: 'summary', target: { kind: 'context', path: 'order.summary' } }, next: 'done' },
  ],
);
