import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { measured } from '../../engine/payload.js';
import type { Run } from '../../engine/run.js';
import { type TaskEffect, TaskHost } from '../../engine/task-host.js';
import { takesLateAnswers } from '../../engine/version.js';
import type { Step } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import { ProblemError } from '../../problems/problem.js';
import type { TaskState } from './read.js';

/** Runs one task through its kind. Promises are costly in the workflow sandbox, so it makes none it does not need. */
export function execute(state: TaskState, frame: Frame, scope: Scope, run: Run): Step | Promise<Step> {
  const runner = run.vocabulary.tasks.get(state.task.kind)?.run;
  if (!runner) throw new Error(`nothing here runs the task kind ${state.task.kind}`);
  const host = new TaskHost(frame, run);
  const step = { next: state.next };
  if ('compute' in runner) {
    runner.compute(state.task, host);
    return step;
  }
  // A call that had all the time that was left ends at the deadline, and may be heard of first.
  const isLate = () => run.remainingMs() <= 0 && !takesLateAnswers(run.interpreter);
  const answered = (answer: Json): Step | Promise<Step> => {
    if (isLate()) return scope.interrupted.catch(interrupted);
    run.movement.effectEnded(frame);
    return runner.take?.(state.task, answer, host)?.then(() => step) ?? step;
  };
  const interrupted = (error: unknown): Promise<never> => {
    if (error instanceof ProblemError && isLate()) return scope.interrupted.catch(interrupted);
    run.movement.effectEnded(frame);
    if (error instanceof ProblemError) runner.failed?.(state.task, error.problem, host);
    throw error;
  };
  const perform = (effect: TaskEffect) => begin(effect, frame, scope, run).then(answered, interrupted);
  const asked = runner.ask(state.task, host);
  if ('answer' in asked) return runner.take?.(state.task, asked.answer, host)?.then(() => step) ?? step;
  return asked instanceof Promise ? asked.then(perform) : perform(asked);
}

/** Performs the effect within what is left of the run's time. */
function begin({ about, ...effect }: TaskEffect, frame: Frame, scope: Scope, run: Run): Promise<Json> {
  run.asks(frame);
  const bytes = measured('The request', effect.input, run.host.maxPayloadBytes);
  run.movement.effectStarted();
  const remaining = run.remainingMs();
  if (remaining <= 0) return scope.interrupted;
  const alone = run.movement.isAlone(frame) && remaining > 30_000;
  const budgetMs = Math.min(effect.budgetMs, remaining);
  const label = about === undefined ? frame.at : `${frame.at} · ${about}`;
  return scope.perform({ ...effect, label, alone, budgetMs, ...(bytes !== undefined && { bytes }) });
}
