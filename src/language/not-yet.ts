import type { Definition, Task } from '../definition/definition.js';
import type { Finding } from '../problems/problem.js';
import { allStates } from '../states/graphs.js';
import { vocabulary } from './vocabulary.js';

/**
 * What the language has and the engine does not execute yet. Journeys that use it load and validate; starting one is refused with
 * these places. The one list to shorten when a part becomes executable; a task kind is executable once it has a `run`.
 */
export const notYet = {
  blocks: {
    '/spec/access/read/guardRef': (definition: Definition) => definition.access !== undefined,
    // In a journey these values must stay out of the history, and that takes a vault in the gateway; an Api has no history.
    '/spec/bindings/http/start/headersPassthrough': ({ kind, http }: Definition) =>
      kind === 'Journey' && http.start.headersPassthrough.length > 0,
    '/spec/bindings/http/steps': ({ http }: Definition) =>
      Object.values(http.steps).some(({ headersPassthrough }) => headersPassthrough.length > 0),
  } as Readonly<Record<string, (definition: Definition) => boolean>>,
};

/** Every place of a journey that needs something the engine cannot do yet. */
export function unsupportedFeatures(definition: Definition): Finding[] {
  const findings = Object.entries(notYet.blocks)
    .filter(([, used]) => used(definition))
    .map(([pointer]) => finding(pointer, pointer.slice('/spec/'.length).replaceAll('/', '.')));
  for (const { state, pointer } of allStates(definition))
    if (state.type === 'task') findings.push(...inTask(state.task, `${pointer}/task`));
  return findings;
}

function inTask(task: Task, pointer: string): Finding[] {
  if (!vocabulary.tasks.get(task.kind)?.run) return [finding(`${pointer}/kind`, `task kind ${task.kind}`)];
  return [];
}

function finding(pointer: string, what: string): Finding {
  return { code: 'NOT_YET_SUPPORTED', severity: 'error', pointer, message: `This engine cannot execute ${what} yet.` };
}
