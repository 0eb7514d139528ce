import type { Definition, State } from '../definition/definition.js';
import { allStates } from '../states/graphs.js';
import type { Change } from './change.js';

/** How many failures end a run, and how long it may take. */
export function policiesBetween(before: Definition, after: Definition): Change[] {
  const now = new Map([...allStates(after)].map(({ pointer, state }) => [pointer, state]));
  const states = [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    const [was, is] = [toleranceOf(state), toleranceOf(now.get(pointer))];
    if (!was || !is || was.type !== is.type || was.name === is.name) return [];
    const message = `The errorPolicy of '${id}' is ${is.name} and was ${was.name}.`;
    const breaking = is.failures < was.failures;
    return [{ code: 'DIFF_POLICY', concerns: 'callers', breaking, pointer, message }];
  });
  const longest = ({ execution }: Definition) => execution?.maxDurationSec ?? Number.POSITIVE_INFINITY;
  if (longest(after) >= longest(before)) return states;
  const message = `A run takes ${longest(after)} seconds at most now.`;
  const pointer = '/spec/execution/maxDurationSec';
  return [...states, { code: 'DIFF_DURATION', concerns: 'runs', breaking: false, pointer, message }];
}

/** What a state bears before it fails: the more failures, the more. */
function toleranceOf(state: State | undefined): { type: string; name: string; failures: number } | undefined {
  if (state?.type === 'map') {
    const { tolerated } = state;
    const name = tolerated === undefined ? 'all' : tolerated === 0 ? 'first' : `{ tolerate: ${tolerated} }`;
    return { type: state.type, name, failures: tolerated ?? Number.POSITIVE_INFINITY };
  }
  if (state?.type !== 'parallel') return undefined;
  const { errorPolicy } = state.join;
  return {
    type: state.type,
    name: errorPolicy,
    failures: errorPolicy === 'ignoreErrors' ? Number.POSITIVE_INFINITY : 0,
  };
}
