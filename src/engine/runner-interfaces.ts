import type { Json } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import type { Task } from './definition/definition.js';
import type { Frame } from './frame.js';
import type { Scope } from './host.js';
import type { End } from './outcome.js';
import type { Run } from './run.js';
import type { TaskEffect, TaskHost } from './task-host.js';

/** The result of a state: the next state, or the end of its graph. */
export type Step = { next: string } | { end: End };

/** Runs the states of one type. A state that waits for nothing returns a value, because promises are costly in the workflow sandbox. */
export interface StateRunner<S = { type: string }> {
  /** True for a state that only computes: it waits for nothing and runs no other states. */
  readonly instant: boolean;
  /** Set for a state in which a map item does not count as running: it waits for a submission. */
  readonly waitsForInput?: true;
  execute(state: S, frame: Frame, scope: Scope, run: Run): Step | Promise<Step>;
}

/** Runs the tasks of one kind, inside the workflow. */
export type TaskRunner<T = Task> = EffectRunner<T> | ComputeRunner<T>;

/** Requests an effect and handles its result. */
export interface EffectRunner<T = Task> {
  /** `answer`: a result that needs no effect. */
  buildRequest(task: T, host: TaskHost): TaskEffect | { answer: Json } | Promise<TaskEffect>;
  handleResult?(task: T, answer: Json, host: TaskHost): undefined | Promise<void>;
  /** Called with the problem that ends the run if there is no result. */
  failed?(task: T, problem: Problem, host: TaskHost): void;
}

/** Runs the whole task within the run, without an effect. */
export interface ComputeRunner<T = Task> {
  compute(task: T, host: TaskHost): void;
}

/** State types and task kinds by name. The engine itself knows none of them. */
export interface Vocabulary {
  readonly states: ReadonlyMap<string, StateRunner>;
  readonly tasks: ReadonlyMap<string, { readonly run: TaskRunner }>;
}
