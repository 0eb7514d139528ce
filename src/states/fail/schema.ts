import { textOf } from '../../document/schema-parts.js';
import { stateSchema } from '../state.js';

/** JSON Schema of `fail`. */
export const schema = stateSchema(
  'fail',
  'Ends the run with a failure.',
  { errorCode: textOf('A stable code.'), reason: textOf('What happened, for people.') },
  ['errorCode', 'reason'],
);
