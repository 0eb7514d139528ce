import { refuse } from '../../problems/problem.js';
import type { TaskState } from '../../spec/definition.js';
import { taskExecutor } from '../../tasks/executors.js';
import type { Frame } from '../frame.js';
import type { Scope } from '../host.js';
import type { Run } from '../run.js';
import { TaskSite } from '../task-site.js';
import type { Step } from '../walk.js';

/** Runs one task through its kind. */
export function task(state: TaskState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  const executor = taskExecutor(state.task.kind);
  if (!executor) return refuse('NOT_YET_SUPPORTED', `The task kind '${state.task.kind}' cannot run yet.`);
  return executor.run(state.task, new TaskSite(frame, scope, run)).then(() => ({ next: state.next }));
}
