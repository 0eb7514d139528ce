import type { Frame } from '../../../src/engine/frame.js';
import type { Host, Scope } from '../../../src/engine/host.js';
import type { Run } from '../../../src/engine/run.js';
import type { StateRunner, Step, Vocabulary } from '../../../src/engine/runner-interfaces.js';
import { vocabulary } from '../../../src/language/state-types-and-task-kinds.js';
import type { Visit } from './log.js';

/** Receives the states of the runs on its hosts. */
export interface Watcher {
  /** Undefined for a state that is not recorded. */
  entered(frame: Frame, scope: Scope, run: Run): Visit | undefined;
  left(visit: Visit, step: Step, frame: Frame): void;
  failed(visit: Visit, error: unknown, frame: Frame): void;
}

/** A host with watched states. */
export interface WatchedHost extends Host {
  readonly watcher: Watcher;
}

/** The language's own state types and task kinds; each state is reported to the watcher of its run's host. */
export const watchedVocabulary: Vocabulary = {
  ...vocabulary,
  states: new Map(
    [...(vocabulary.states as ReadonlyMap<string, StateRunner>)].map(([type, it]) => [type, watched(it)]),
  ),
};

function watched(runner: StateRunner): StateRunner {
  return {
    instant: runner.instant,
    ...(runner.waitsForInput && { waitsForInput: true }),
    execute(state, frame, scope, run) {
      const { watcher } = run.host as WatchedHost;
      const visit = watcher.entered(frame, scope, run);
      if (!visit) return runner.execute(state, frame, scope, run);
      const left = (step: Step): Step => {
        watcher.left(visit, step, frame);
        return step;
      };
      const failed = (error: unknown): never => {
        watcher.failed(visit, error, frame);
        throw error;
      };
      try {
        const result = runner.execute(state, frame, scope, run);
        return result instanceof Promise ? result.then(left, failed) : left(result);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
