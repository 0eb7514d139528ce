import type { StateType } from '../state.js';
import { type FailState, read } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Ends with a failure. */
export const fail: StateType<FailState> = { type: 'fail', schema, read, execute, exits: () => [] };
