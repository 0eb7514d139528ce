import { part } from '../../document/schema-parts.js';
import { stateSchema } from '../state.js';

/** JSON Schema of `succeed`. */
export const schema = stateSchema(
  'succeed',
  'Ends the run with success.',
  { outputVar: part('identifier', 'The context variable that becomes the output; the whole context when left out.') },
  [],
  [{ outputVar: 'answer' }],
);
