import type { Definition, Task } from '../definition/definition.js';
import type { Finding } from '../problems/problem.js';
import { allStates } from '../states/graphs.js';
import { taskKinds } from '../tasks/index.js';

/**
 * What the language has and the engine does not execute yet. Journeys that use it load and validate; starting one is refused with
 * these places. The one list to shorten when a part becomes executable; a task kind is executable once it has a `run`.
 */
export const notYet = {
  blocks: {
    '/spec/cookies': (definition: Definition) => definition.cookies !== undefined,
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
  if (!taskKinds.get(task.kind)?.run) return [finding(`${pointer}/kind`, `task kind ${task.kind}`)];
  return [];
}

function finding(pointer: string, what: string): Finding {
  return { code: 'NOT_YET_SUPPORTED', severity: 'error', pointer, message: `This engine cannot execute ${what} yet.` };
}
