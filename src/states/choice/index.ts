import type { StateType } from '../state.js';
import { type ChoiceState, read } from './read.js';
import { execute } from './run.js';
import { schema } from './schema.js';

/** Goes on along one of several ways. */
export const choice: StateType<ChoiceState> = {
  type: 'choice',
  schema,
  read,
  execute,
  exits: (state) => [...state.choices.map(({ next }) => next), ...(state.default === undefined ? [] : [state.default])],
};
