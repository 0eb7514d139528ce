import type { StateType } from '../state.js';
import { read, type TaskState } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Does something in the world, through one of the task kinds. */
export const task: StateType<TaskState> = { type: 'task', schema, read, execute };
