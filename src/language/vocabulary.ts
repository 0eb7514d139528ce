import type { Vocabulary } from '../engine/vocabulary.js';
import type { Words } from '../reading/reading.js';
import { stateTypes } from '../states/index.js';
import { type TaskKind, taskKinds } from '../tasks/index.js';
import { pluginTasks } from '../tasks/plugin/index.js';
import { pluginKind } from '../tasks/plugin/kind.js';

/** What runs documents: the language's own state types and task kinds, and one runner for the tasks of all plugins. */
export const vocabulary = {
  states: stateTypes,
  tasks: new Map<string, Pick<TaskKind, 'run' | 'virtual'>>([
    ...taskKinds,
    [pluginKind, pluginTasks as Pick<TaskKind, 'run' | 'virtual'>],
  ]),
} satisfies Vocabulary;

/** The words of documents without plugins. */
export const words: Words = { states: stateTypes, tasks: taskKinds };
