import type { AllowedTypes, ChildJourney } from '../../../engine/definition/external-activity-types.js';

/** A call that a run is about to make, by which its worker decides whether it may. A type, so that it counts as plain JSON. */
export type TaskToAdmit =
  | { activity: string; taskQueue: string }
  | { workflow: string; taskQueue: string }
  | (ChildJourney & { parent: ParentRun });

/** The run that starts a child. The child belongs to the same owner, as both are recorded in the memo. */
export type ParentRun = {
  id: string;
  /** The journeys that started one another, up to this run's own. */
  callers: string[];
  startedBy?: string;
  ownSchedules?: true;
};

/** The name of the local activity that admits calls. Its marker in a history belongs to the call that follows. */
export const admission = 'admitTask';

/** Whether a type of a task queue is in the list. */
export function isAllowed(allowed: AllowedTypes, taskQueue: string, type: string): boolean {
  return Object.hasOwn(allowed, taskQueue) && allowed[taskQueue]!.includes(type);
}
