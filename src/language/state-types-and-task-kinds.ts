import type { Vocabulary } from '../engine/runner-interfaces.js';
import type { DocumentVocabulary } from './read/document-reading-state.js';
import { stateTypes } from './states/registry.js';
import { taskBehaviours, taskKinds } from './tasks/registry.js';

/** State types and task kinds that runs may execute, including those of plugins. */
export const vocabulary = { states: stateTypes, tasks: taskBehaviours } satisfies Vocabulary;

/** State types and task kinds that a document may name when no plugins are installed. */
export const documentVocabulary: DocumentVocabulary = { states: stateTypes, tasks: taskKinds };
