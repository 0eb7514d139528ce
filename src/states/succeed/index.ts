import type { StateType } from '../state.js';
import { read, type SucceedState } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Ends with success. */
export const succeed: StateType<SucceedState> = { type: 'succeed', schema, read, execute, exits: () => [] };
