import type { ReadGraph } from '../../reading/graph.js';
import { allGraphs } from './graphs.js';

/** What may give something else each time it is asked. */
const changing = /\b(random|randomInt|uuid|millis|now)\b/i;

/** Warns of branches that are never taken: one before them always is, or asks the same. */
export function checkChoices(graphs: readonly ReadGraph[]): void {
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) {
      if (state.type !== 'choice') continue;
      const branches = place.at('states').at(id).at('choices').items();
      // A branch that could not be read would shift the numbers.
      if (branches.length !== state.choices.length) continue;
      const asked = new Map<string, number>();
      let always: number | undefined;
      for (const [i, { when }] of state.choices.entries()) {
        const text = when.expr.trim();
        const key = `${when.lang} ${text.replace(/\s+/g, ' ')}`;
        const before = changing.test(text) ? undefined : asked.get(key);
        const dead = (why: string) => branches[i]!.warn('CHOICE_BRANCH_DEAD', why, undefined, 'key');
        if (always !== undefined) dead(`Branch ${always + 1} is always taken, so branch ${i + 1} never is.`);
        else if (text === 'false') dead(`The predicate of branch ${i + 1} is false.`);
        else if (before !== undefined) dead(`Branch ${i + 1} asks the same as branch ${before + 1}.`);
        else asked.set(key, i);
        if (text === 'true') always ??= i;
      }
    }
}
