import { part, textOf } from '../../document/schema-parts.js';
import type { JsonObject } from '../../json/value.js';
import { stateSchema } from '../state.js';

const words = (description: string): JsonObject => ({
  description,
  oneOf: [textOf(description), part('mapperHolder', 'Computes the text; an extension, refused by --strict.')],
});

/** JSON Schema of `fail`. */
export const schema = stateSchema(
  'fail',
  'Ends the run with a failure.',
  { errorCode: words('A stable code.'), reason: words('What happened, for people.') },
  ['errorCode', 'reason'],
  [
    { errorCode: 'SOLD_OUT', reason: 'There is nothing left of it' },
    {
      errorCode: { mapper: { lang: 'dataweave', expr: 'context.answer.body.code' } },
      reason: { mapper: { lang: 'dataweave', expr: '"The shop refused order $(context.orderId)"' } },
    },
  ],
);
