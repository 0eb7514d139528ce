import { textOrMapper } from '../../document/schema-parts.js';
import { stateSchema } from '../state.js';

/** JSON Schema of `fail`. */
export const schema = stateSchema(
  'fail',
  'Ends the run with a failure.',
  {
    errorCode: textOrMapper('A stable code. A mapper is an extension, refused by --strict.'),
    reason: textOrMapper('What happened, for people. A mapper is an extension, refused by --strict.'),
  },
  ['errorCode', 'reason'],
);
