import type { JsonObject } from '../../base/json/value.js';
import { ProblemError } from '../../base/problems/problem.js';
import type { State } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Run } from '../../engine/run.js';
import type { StateRunner, Step, Vocabulary } from '../../engine/runner-interfaces.js';

/** A state in progress. */
export interface StateVisit {
  /** The object of the definition, which distinguishes states of the same id in different graphs. */
  state: State;
  id: string;
  frame: Frame;
  run: Run;
  /** Its context at the start. */
  before: JsonObject;
}

/** Receives the events of states. An interrupted state is neither left nor failed. */
export interface StateListener {
  entered?(visit: StateVisit): void;
  left?(visit: StateVisit, step: Step): void;
  failed?(visit: StateVisit, error: ProblemError): void;
}

/** The same vocabulary, with a listener on the states. */
export function withListener(words: Vocabulary, listener: StateListener): Vocabulary {
  const states = [...words.states].map(([type, runner]) => [type, heard(runner, listener)] as const);
  return { ...words, states: new Map(states) };
}

function heard(runner: StateRunner, listener: StateListener): StateRunner {
  return {
    instant: runner.instant,
    ...(runner.waitsForInput && { waitsForInput: true }),
    execute(state, frame, scope, run) {
      const visit: StateVisit = { state: state as State, id: frame.at, frame, run, before: frame.context };
      const left = (step: Step): Step => {
        listener.left?.(visit, step);
        return step;
      };
      const failed = (error: unknown): never => {
        if (error instanceof ProblemError) listener.failed?.(visit, error);
        throw error;
      };
      listener.entered?.(visit);
      try {
        const result = runner.execute(state, frame, scope, run);
        return result instanceof Promise ? result.then(left, failed) : left(result);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
