import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type Problem, ProblemError } from '../../base/problems/problem.js';
import { isNotFound } from '../classify-temporal-errors.js';
import { executionInfoFromRaw } from '../sdk-internals.js';

/** A listed execution; without its memo if this process cannot decrypt it. */
export type VisibilityEntry = WorkflowExecutionInfo & { readonly unreadable?: Problem };

/** Converts an entry of Temporal's list. */
export async function visibilityEntry(
  { options }: Client,
  raw: temporal.api.workflow.v1.IWorkflowExecutionInfo,
): Promise<VisibilityEntry> {
  const { loadedDataConverter, namespace } = options;
  const read = (it: typeof raw) => executionInfoFromRaw(it, loadedDataConverter, raw, namespace);
  try {
    return await read(raw);
  } catch (error) {
    const unreadable = missingKeyReason(error);
    if (!unreadable) throw error;
    // Its defaults are on the prototype, which a copy would lose.
    return { ...(await read(Object.assign(Object.create(raw), { memo: null }))), unreadable };
  }
}

/** Describes the newest execution of a workflow, also with an undecryptable memo; undefined if there is none. */
export async function newestEntry(client: Client, workflowId: string) {
  const { namespace } = client.options;
  const found = await client.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
  const raw = found?.workflowExecutionInfo;
  return raw ? { ...(await visibilityEntry(client, raw)), task: found.pendingWorkflowTask } : undefined;
}

/** Reports whether an error is caused by a missing encryption key. */
export function missingKeyReason(error: unknown): Problem | undefined {
  const found = error instanceof ProblemError ? error.problem : undefined;
  return isUnreadable(found) ? found : undefined;
}

/** Reports whether a problem is about a missing encryption key. */
export function isUnreadable(found: Problem | undefined): found is Problem {
  return found?.code === 'PAYLOAD_KEY_UNKNOWN' || found?.code === 'PAYLOAD_UNREADABLE';
}
