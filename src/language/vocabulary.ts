import type { Vocabulary } from '../engine/vocabulary.js';
import type { Words } from '../reading/reading.js';
import { stateTypes } from '../states/index.js';
import { taskKinds } from '../tasks/index.js';

/** The language's own state types and task kinds: they read documents and run them. */
export const vocabulary = { states: stateTypes, tasks: taskKinds } satisfies Vocabulary & Words;
