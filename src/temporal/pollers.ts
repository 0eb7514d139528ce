import type { Client } from '@temporalio/client';
import { tsToMs } from './sdk.js';

/** A worker asks for work anew at least once a minute. */
const pollMs = 70_000;
/** Temporal's number for the queue of workflow tasks. */
const workflowTasks = 1;

/** Whether a worker asks for the workflow tasks of a queue, and when one last did. */
export async function polled(client: Client, taskQueue: string): Promise<{ works: boolean; at?: string }> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowTasks,
  });
  const at = Math.max(0, ...pollers.map(({ lastAccessTime }) => tsToMs(lastAccessTime)));
  return { works: at >= Date.now() - pollMs, ...(at > 0 && { at: new Date(at).toISOString() }) };
}
