import { hasPlaceholder } from '../../definition/template.js';
import { text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { fieldsOf } from '../state.js';
import { schema } from './schema.js';

/** A failure with the author's words. */
export interface FailState {
  type: 'fail';
  errorCode: string;
  reason: string;
}

/** Reads a `fail`. */
export function read(state: Place): FailState {
  state.only(fieldsOf(schema));
  const errorCode = text(state.at('errorCode'), 'FAIL_FIELDS', 'errorCode') ?? '';
  const reason = text(state.at('reason'), 'FAIL_FIELDS', 'reason') ?? '';
  for (const [field, value] of Object.entries({ errorCode, reason }))
    if (hasPlaceholder(value))
      state.at(field).warn('INTERPOLATION_LITERAL', `${field} is a static text; placeholders in it are not replaced.`);
  return { type: 'fail', errorCode, reason };
}
