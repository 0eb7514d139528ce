import { text } from '../../document/fields.js';
import type { StateReader } from '../state.js';

export const readFail: StateReader = (state) => {
  state.only(['type', 'errorCode', 'reason']);
  const errorCode = text(state.at('errorCode'), 'FAIL_FIELDS', 'errorCode') ?? '';
  const reason = text(state.at('reason'), 'FAIL_FIELDS', 'reason') ?? '';
  for (const [field, value] of Object.entries({ errorCode, reason }))
    if (value.includes('${'))
      state.at(field).warn('INTERPOLATION_LITERAL', `${field} is a static text; placeholders in it are not replaced.`);
  return { type: 'fail', errorCode, reason };
};
