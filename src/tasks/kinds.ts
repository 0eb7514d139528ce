import type { TaskSite } from '../engine/task-site.js';
import type { Task } from '../spec/definition.js';
import { httpCall } from './http-call/run.js';

/** The executing half of a task kind: runs inside the workflow, asks the world through `site.perform`. */
export interface TaskKind<T = Task> {
  kind: string;
  run(task: T, site: TaskSite): Promise<void>;
}

const kinds = new Map<string, TaskKind>([httpCall].map((it) => [it.kind, it as TaskKind]));

/** The kind that executes tasks called `name`, if there is one. */
export function taskKind(name: string): TaskKind | undefined {
  return kinds.get(name);
}
