import type { Task } from '../definition/definition.js';
import type { TaskEffect, TaskSite } from '../engine/task-host.js';
import type { Json } from '../json/value.js';
import { httpCall } from './http-call/run.js';
import { schedule } from './schedule/run.js';

/** The executing half of a task kind, inside the workflow: what it asks of the world, and what becomes of the answer. */
export interface TaskExecutor<T = Task> {
  kind: string;
  ask(task: T, site: TaskSite): TaskEffect | Promise<TaskEffect>;
  take?(task: T, answer: Json, site: TaskSite): undefined | Promise<void>;
}

const executors = new Map<string, TaskExecutor>([httpCall, schedule].map((it) => [it.kind, it as TaskExecutor]));

/** What executes tasks of this kind, if anything does. */
export function taskExecutor(kind: string): TaskExecutor | undefined {
  return executors.get(kind);
}
