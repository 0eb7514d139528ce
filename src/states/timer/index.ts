import type { StateType } from '../state.js';
import { read, type TimerState } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Sleeps. */
export const timer: StateType<TimerState> = { type: 'timer', schema, read, execute, rest: 'timer' };
