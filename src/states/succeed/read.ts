import { given, optionalIdentifier } from '../../document/fields.js';
import type { StateReader } from '../state.js';

export const readSucceed: StateReader = (state) => {
  state.only(['type', 'outputVar']);
  return { type: 'succeed', ...given('outputVar', optionalIdentifier(state.at('outputVar'), 'outputVar')) };
};
