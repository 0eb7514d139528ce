import type { Task } from '../definition/definition.js';
import type { Json } from '../json/value.js';
import type { Problem } from '../problems/problem.js';
import type { Frame } from './frame.js';
import type { Scope } from './host.js';
import type { End } from './outcome.js';
import type { Run } from './run.js';
import type { TaskEffect, TaskHost } from './task-host.js';

/** What a state leads to. */
export type Step = { next: string } | { end: End };

/** What runs the states of one type. Pure ones answer at once, so that they cost nothing but themselves. */
export interface StateRunner<S = { type: string }> {
  execute(state: S, frame: Frame, scope: Scope, run: Run): Step | Promise<Step>;
}

/** What runs the tasks of one kind, inside the workflow. */
export type TaskRunner<T = Task> = AskingRunner<T> | ComputingRunner<T>;

/** Says what a task asks of the world, and what becomes of the answer. */
export interface AskingRunner<T = Task> {
  /** `answer`: what is known without asking. */
  ask(task: T, host: TaskHost): TaskEffect | { answer: Json } | Promise<TaskEffect>;
  take?(task: T, answer: Json, host: TaskHost): undefined | Promise<void>;
  /** Hears of the problem that ends the run instead of an answer. */
  failed?(task: T, problem: Problem, host: TaskHost): void;
}

/** Does all of it within the run: there is nothing to ask. */
export interface ComputingRunner<T = Task> {
  compute(task: T, host: TaskHost): void;
}

/** The words a journey is written in: state types and task kinds by name. The engine knows none of them itself. */
export interface Vocabulary {
  readonly states: ReadonlyMap<string, StateRunner>;
  readonly tasks: ReadonlyMap<string, { readonly run: TaskRunner }>;
}
