import type { StateType } from '../state.js';
import { type MapState, read } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Runs one graph for each item of a list. */
export const map: StateType<MapState> = {
  type: 'map',
  schema,
  read,
  execute,
  mapGraphs: (state, change) => ({ ...state, graph: change(state.graph, ['map']) }),
};
