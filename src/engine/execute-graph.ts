import { ProblemError, refuse } from '../base/problems/problem.js';
import type { Graph, State } from './definition/definition.js';
import type { Frame } from './frame.js';
import { Interrupted, type Scope } from './host.js';
import { type End, runtimeFailure } from './outcome.js';
import type { Run } from './run.js';
import type { StateRunner } from './runner-interfaces.js';

/**
 * Walks one graph from its frame's position to its end. Rejects with `Interrupted`, but only after an unsafe effect in flight has ended, or
 * with an error that is a bug of ours. `ended` is called while the frame still counts as working, so that the run does not park before the
 * parent resumes.
 */
export async function executeGraph(
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
    run.slotsOf(frame)?.left(frame);
    run.parking.leave(frame);
  }
}

async function toEnd(graph: Graph, frame: Frame, scope: Scope, run: Run): Promise<End> {
  const { turn } = run;
  try {
    for (;;) {
      // A resumed state continues at once, so that if it is interrupted now, the work that it has done is kept.
      if (!frame.progress) {
        // Not extracted into an async function: awaiting its result would let another frame continue in between.
        for (let place = turn.place(); place !== undefined; place = turn.place(place))
          await (scope.interruption ? turn.wait(place) : Promise.race([turn.wait(place), scope.interrupted]));
        if (scope.interruption && !finishes(graph, frame, frame.at, run)) throw new Interrupted(scope.interruption);
        const slot = needsSlot(graph, frame, run) ? run.slotsOf(frame)?.take(frame) : undefined;
        if (slot) await Promise.race([slot, scope.interrupted]);
        const held =
          scope.interruption || runsWhileDraining(graph, frame, run) ? undefined : run.parking.checkpoint(frame);
        if (held) await Promise.race([held, scope.interrupted]);
        run.enter(frame);
      }
      const state = stateAt(graph, frame.at);
      const type =
        run.vocabulary.states.get(state.type) ?? refuse('STATE_TYPE', `This engine has no state type '${state.type}'.`);
      const result = type.execute(state, frame, scope, run);
      const step = result instanceof Promise ? await result : result;
      delete frame.progress;
      if ('end' in step) return step.end;
      if (scope.interruption && !finishes(graph, frame, step.next, run)) throw new Interrupted(scope.interruption);
      frame.at = step.next;
    }
  } catch (error) {
    if (error instanceof ProblemError) return runtimeFailure(error.problem, frame.at, frame.context);
    throw error;
  }
}

/** Whether a map item counts as running in the state that its frame enters: it does unless the state only computes or waits for people. */
function needsSlot(graph: Graph, frame: Frame, run: Run): boolean {
  return frame.item !== undefined && !isInstant(graph, frame.at, run) && !runnerAt(graph, frame.at, run)?.waitsForInput;
}

/**
 * Whether a frame keeps running although the run is about to continue as new. True for a map item that has started and only computes:
 * the response of its last call is usually larger than the part that the item keeps, and items in progress are carried over.
 */
function runsWhileDraining(graph: Graph, frame: Frame, run: Run): boolean {
  return frame.item !== undefined && frame.entered > 0 && isInstant(graph, frame.at, run);
}

/**
 * Whether an interrupted frame continues with `next`. An inner graph that has had an unsafe effect does while it only computes, so that
 * the outer graph, and so the compensation, sees its result in the usual form.
 */
function finishes(graph: Graph, { acted, id }: Frame, next: string, run: Run): boolean {
  return acted === true && id !== '' && isInstant(graph, next, run);
}

function isInstant(graph: Graph, at: string, run: Run): boolean {
  return runnerAt(graph, at, run)?.instant === true;
}

function runnerAt({ states }: Graph, at: string, { vocabulary }: Run): StateRunner | undefined {
  return Object.hasOwn(states, at) ? vocabulary.states.get(states[at]!.type) : undefined;
}

function stateAt(graph: Graph, id: string): State {
  const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
  return state ?? refuse('STATE_UNKNOWN', `There is no state '${id}'.`);
}
