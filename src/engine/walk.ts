import type { Graph, State } from '../definition/definition.js';
import { ProblemError, refuse } from '../problems/problem.js';
import type { Frame } from './frame.js';
import { Interrupted, type Scope } from './host.js';
import { type End, runtimeFailure } from './outcome.js';
import type { Run } from './run.js';

/**
 * Walks one graph from where its frame stands to its end. Rejects with `Interrupted`, or with an error that is our bug.
 * `ended` is called while the frame still counts as working, so that a parent can take over without a moment of rest.
 */
export async function walk(
  graph: Graph,
  frame: Frame,
  scope: Scope,
  run: Run,
  ended: (end: End) => void = () => undefined,
): Promise<End> {
  try {
    const end = await toEnd(graph, frame, scope, run);
    ended(end);
    return end;
  } finally {
    run.movement.leave(frame);
  }
}

async function toEnd(graph: Graph, frame: Frame, scope: Scope, run: Run): Promise<End> {
  const { turn } = run;
  try {
    for (;;) {
      // Asked here and not in a function: between its answer and this branch others would pass.
      for (let place = turn.place(); place !== undefined; place = turn.place(place))
        await Promise.race([turn.wait(place), scope.interrupted]);
      if (scope.interruption) throw new Interrupted(scope.interruption);
      const held = carriesOn(graph, frame) ? undefined : run.movement.checkpoint(frame);
      if (held) await Promise.race([held, scope.interrupted]);
      if (!frame.progress) run.enter(frame);
      const state = stateAt(graph, frame.at);
      const type =
        run.vocabulary.states.get(state.type) ?? refuse('STATE_TYPE', `This engine has no state type '${state.type}'.`);
      const result = type.execute(state, frame, scope, run);
      const step = result instanceof Promise ? await result : result;
      delete frame.progress;
      if ('end' in step) return step.end;
      frame.at = step.next;
    }
  } catch (error) {
    if (error instanceof ProblemError) return runtimeFailure(error.problem, frame.at, frame.context);
    throw error;
  }
}

const computing: ReadonlySet<string> = new Set(['transform', 'choice', 'succeed', 'fail']);

/**
 * Whether a frame goes on although the run is about to stop for a fresh execution. An item of a map does, once it has begun and while it only
 * computes: what its last call answered is large more often than what it keeps of it, and every item in progress is handed on.
 */
function carriesOn({ states }: Graph, { item, entered, at }: Frame): boolean {
  return item !== undefined && entered > 0 && Object.hasOwn(states, at) && computing.has(states[at]!.type);
}

function stateAt(graph: Graph, id: string): State {
  const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
  return state ?? refuse('STATE_UNKNOWN', `There is no state '${id}'.`);
}
