import type { State } from '../../definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Run } from '../../engine/run.js';
import type { StateRunner, Step, Vocabulary } from '../../engine/vocabulary.js';
import type { JsonObject } from '../../json/value.js';
import { ProblemError } from '../../problems/problem.js';

/** A state that a run works on. */
export interface StateVisit {
  /** The very object of the definition, which tells states of the same id in different graphs apart. */
  state: State;
  id: string;
  frame: Frame;
  run: Run;
  /** The context that it began with. */
  before: JsonObject;
}

/** Hears what states do. An interrupted one is neither left nor failed. */
export interface StateListener {
  entered?(visit: StateVisit): void;
  left?(visit: StateVisit, step: Step): void;
  failed?(visit: StateVisit, error: ProblemError): void;
}

/** The same words, with somebody who hears what the states do. */
export function listening(words: Vocabulary, listener: StateListener): Vocabulary {
  const states = [...words.states].map(([type, runner]) => [type, heard(runner, listener)] as const);
  return { ...words, states: new Map(states) };
}

function heard(runner: StateRunner, listener: StateListener): StateRunner {
  return {
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
