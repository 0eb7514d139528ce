import type { StateType } from '../state.js';
import { type ParallelState, read } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Runs branches side by side. */
export const parallel: StateType<ParallelState> = {
  type: 'parallel',
  schema,
  read,
  execute,
  exits: ({ next }) => (next === undefined ? [] : [next]),
  mapGraphs: (state, change) => ({
    ...state,
    branches: state.branches.map((branch, i) => change(branch, ['parallel', 'branches', i])),
  }),
};
