import type { TaskSite } from '../engine/task-site.js';
import type { Task } from '../spec/definition.js';
import { httpCall } from './http-call/run.js';
import { schedule } from './schedule/run.js';

/** The executing half of a task kind: runs inside the workflow, asks the world through `site.perform`. */
export interface TaskExecutor<T = Task> {
  kind: string;
  run(task: T, site: TaskSite): Promise<void>;
}

const executors = new Map<string, TaskExecutor>([httpCall, schedule].map((it) => [it.kind, it as TaskExecutor]));

/** What executes tasks of this kind, if anything does. */
export function taskExecutor(kind: string): TaskExecutor | undefined {
  return executors.get(kind);
}
