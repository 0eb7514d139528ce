import type { StateType } from '../state.js';
import { read, type TransformState } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Computes a value. */
export const transform: StateType<TransformState> = { type: 'transform', schema, read, execute };
