import { refuse } from '../../src/base/problems/problem.js';
import type { Config } from '../../src/config/config-types.js';
import { isAllowed, type TaskToAdmit } from '../../src/language/tasks/external/activity-admission-contract.js';
import type { ChildRuns } from '../../src/temporal/runs/prepare-child-run.js';
import type { AdmissionActivities, AdmittedTask } from '../../workflows/journey/admission-contract.js';
import { withHeartbeats } from '../effects-as-activities.js';

/** Where calls go in scenarios: to workers of their own. */
export type TaskRoute = (task: TaskToAdmit) => AdmittedTask;

/**
 * The local activity that decides whether a run may call an activity or a workflow that is not ours, by the configuration of this worker: what a
 * run carries, or was allowed when it started, does not count. Another journey is one that this worker serves.
 */
export function admissionActivities(
  { tasks }: Pick<Config, 'tasks'>,
  journeys: ChildRuns,
  route?: TaskRoute,
): AdmissionActivities {
  const admit = async (task: TaskToAdmit): Promise<AdmittedTask> => {
    if ('journey' in task) return route ? route(task) : await journeys(task);
    const { taskQueue } = task;
    if ('activity' in task && !isAllowed(tasks.activities, taskQueue, task.activity))
      refuse('ACTIVITY_NOT_ALLOWED', refusal(`activity ${task.activity}`, taskQueue));
    if ('workflow' in task && !isAllowed(tasks.workflows, taskQueue, task.workflow))
      refuse('WORKFLOW_NOT_ALLOWED', refusal(`workflow ${task.workflow}`, taskQueue));
    return route ? route(task) : { taskQueue };
  };
  return { admitTask: (task) => withHeartbeats(() => admit(task)) };
}

function refusal(what: string, taskQueue: string): string {
  return `The configuration of this worker does not allow the ${what} of the task queue ${taskQueue}.`;
}
