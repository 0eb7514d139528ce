import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type Problem, ProblemError } from '../problems/problem.js';
import { isNotFound } from './failures.js';
import { executionInfoFromRaw } from './sdk.js';

/** An execution as a list shows it. Without its memo where this process has no key that opens it: the others are listed all the same. */
export type Listed = WorkflowExecutionInfo & { readonly unreadable?: Problem };

/** What Temporal's list says of an execution. */
export async function listedOf(
  { options }: Client,
  raw: temporal.api.workflow.v1.IWorkflowExecutionInfo,
): Promise<Listed> {
  const { loadedDataConverter, namespace } = options;
  const read = (it: typeof raw) => executionInfoFromRaw(it, loadedDataConverter, raw, namespace);
  try {
    return await read(raw);
  } catch (error) {
    const unreadable = whyUnreadable(error);
    if (!unreadable) throw error;
    // Its defaults are its prototype's, which a copy would lose.
    return { ...(await read(Object.assign(Object.create(raw), { memo: null }))), unreadable };
  }
}

/** The newest execution of a workflow as Temporal itself describes it, whoever can read its memo; undefined where there is none. */
export async function listedNow(client: Client, workflowId: string) {
  const { namespace } = client.options;
  const found = await client.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
  const raw = found?.workflowExecutionInfo;
  return raw ? { ...(await listedOf(client, raw)), task: found.pendingWorkflowTask } : undefined;
}

/** Something was encrypted with a key that this process does not have. */
export function whyUnreadable(error: unknown): Problem | undefined {
  const found = error instanceof ProblemError ? error.problem : undefined;
  return isUnreadable(found) ? found : undefined;
}

/** A problem of ours saying that something was encrypted with a key that this process does not have. */
export function isUnreadable(found: Problem | undefined): found is Problem {
  return found?.code === 'PAYLOAD_KEY_UNKNOWN' || found?.code === 'PAYLOAD_UNREADABLE';
}
