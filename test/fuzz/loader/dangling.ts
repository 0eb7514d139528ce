import type { Definition, Graph } from '../../../src/engine/definition/definition.js';
import { nextStates } from '../../../src/language/states/state-queries.js';

/** Dangling references of a definition, found independently of the loader's checks in order to test them. */
export function dangling(definition: Definition): string[] {
  const out: string[] = [];
  const inGraph = (graph: Graph, name: string) => {
    const has = (id: string) => Object.hasOwn(graph.states, id);
    if (!has(graph.start)) out.push(`${name} starts at ${graph.start}`);
    for (const [id, state] of Object.entries(graph.states)) {
      for (const next of nextStates(state)) if (!has(next)) out.push(`${name}/${id} goes to ${next}`);
      if (state.type === 'parallel')
        for (const branch of state.branches) inGraph(branch, `${name}/${id}/${branch.name}`);
      if (state.type === 'subjourney' && !Object.hasOwn(definition.subjourneys, state.ref))
        out.push(`${name}/${id} calls ${state.ref}`);
      if (
        state.type === 'task' &&
        state.task.kind === 'schedule:v1' &&
        'start' in state.task &&
        !Object.hasOwn(definition.states, String(state.task.start))
      )
        out.push(`${name}/${id} schedules ${String(state.task.start)}`);
    }
  };
  inGraph(definition, 'main');
  for (const [id, graph] of Object.entries(definition.subjourneys)) inGraph(graph, id);
  if (definition.compensation) inGraph(definition.compensation, 'compensation');
  const guard = definition.access?.read.guardRef;
  if (guard !== undefined && !Object.hasOwn(definition.subjourneys, guard)) out.push(`guard ${guard}`);
  return out;
}
