import { given, optionalIdentifier } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { fieldsOf } from '../state.js';
import { schema } from './schema.js';

/** The end of a graph, with one variable or the whole context as its output. */
export interface SucceedState {
  type: 'succeed';
  outputVar?: string;
}

/** Reads a `succeed`. */
export function read(state: Place): SucceedState {
  state.only(fieldsOf(schema));
  return { type: 'succeed', ...given('outputVar', optionalIdentifier(state.at('outputVar'), 'outputVar')) };
}
