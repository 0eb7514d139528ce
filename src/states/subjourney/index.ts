import type { StateType } from '../state.js';
import { read, type SubjourneyState } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Calls a local graph. */
export const subjourney: StateType<SubjourneyState> = { type: 'subjourney', schema, read, execute };
