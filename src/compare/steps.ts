import type { Definition, State } from '../definition/definition.js';
import type { Signature } from '../definition/signature.js';
import { allStates } from '../states/graphs.js';
import { bindingsBetween } from './bindings.js';
import { type Change, differ, schemas } from './change.js';

type Step = Extract<State, { type: 'wait' | 'webhook' }>;

/** What is different for those who submit steps. */
export function stepsBetween(before: Definition, after: Definition): Change[] {
  // Only steps have ids of their own in the whole document.
  const now = new Map([...allStates(after)].flatMap(({ id, state }) => (isSubmitted(state) ? [[id, state]] : [])));
  return [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    if (!isSubmitted(state)) return [];
    const tell = (breaking: boolean, message: string, field = ''): Change => ({
      code: 'DIFF_STEP',
      concerns: 'steps',
      breaking,
      pointer: `${pointer}${field}`,
      message,
    });
    const other = now.get(id);
    if (!other) return [tell(true, `The step '${id}' is gone.`)];
    const block = `/${other.type}`;
    const { timeout } = other;
    const sooner = timeout && timeout.sec < (state.timeout?.sec ?? Number.POSITIVE_INFINITY);
    return [
      ...schemas('DIFF_STEP', 'steps', pointer, state.schema, other.schema, 'sent'),
      ...schemas('DIFF_STEP', 'steps', `${pointer}/response`, state.response?.schema, other.response?.schema, 'read'),
      ...signatures(id, state.signature, other.signature).map(([breaking, message]) =>
        tell(breaking, message, `${block}/signature`),
      ),
      ...(sooner
        ? [tell(false, `The step '${id}' waits ${timeout.sec} seconds at most now.`, `${block}/timeoutSec`)]
        : []),
      ...bindingsBetween('steps', `/spec/bindings/http/steps/${id}`, before.http.steps[id], after.http.steps[id]),
    ];
  });
}

function isSubmitted(state: State): state is Step {
  return state.type === 'wait' || state.type === 'webhook';
}

/** Whoever signs as before must still be let in. */
function signatures(id: string, before: Signature | undefined, after: Signature | undefined): Told[] {
  if (!after) return before ? [[false, `The submissions of '${id}' need not be signed any more.`]] : [];
  if (!before) return [[true, `The submissions of '${id}' must be signed now.`]];
  const { secretRefs: old, ...way } = before;
  const { secretRefs, ...wayNow } = after;
  const gone = old.filter((ref) => !secretRefs.includes(ref));
  const told = gone.map((ref): Told => [true, `Submissions of '${id}' that are signed with ${ref} are refused now.`]);
  return differ(way, wayNow) ? [[true, `The submissions of '${id}' are signed in another way now.`], ...told] : told;
}

type Told = [breaking: boolean, message: string];
