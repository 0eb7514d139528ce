import type { WorkflowIdReusePolicy } from '@temporalio/common';
import type { ExternalAnswer } from '../../src/engine/definition/external-activity-types.js';
import type { TaskToAdmit } from '../../src/language/tasks/external/activity-admission-contract.js';
import type { ChildStart } from '../dispatch/workflow-contract.js';

/** The decision of a worker about a call. */
export type AdmittedTask =
  /** The queue to call it on: the one that was asked for, except in scenarios on a server. There, an activity answers in place of a workflow. */
  | { readonly taskQueue: string; readonly activity?: string }
  /** The start of another journey. */
  | { readonly child: ChildStart & { readonly reuse: WorkflowIdReusePolicy } }
  /** Another journey cannot be started so; the run may handle that. */
  | { readonly refused: ExternalAnswer };

/** The local activity that admits calls. */
export interface AdmissionActivities {
  admitTask(task: TaskToAdmit): Promise<AdmittedTask>;
}
