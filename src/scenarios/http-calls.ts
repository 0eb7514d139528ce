import type { Definition } from '../definition/definition.js';
import { allStates } from '../states/graphs.js';
import type { HttpCallTask } from '../tasks/http-call/read.js';

/** Every HTTP call a journey can make. */
export function httpCalls(definition: Definition): HttpCallTask[] {
  return [...allStates(definition)].flatMap(({ state }) =>
    state.type === 'task' && state.task.kind === 'httpCall:v1' ? [state.task as HttpCallTask] : [],
  );
}
