import type { Client } from '@temporalio/client';
import type { Config } from '../config/config-types.js';
import { countFailingRuns } from './runs/run-diagnostics.js';
import { queueOf } from './schedules/jobs/dispatch-action.js';
import { tsToMs } from './sdk-internals.js';

/** Longest time between two polls of a worker. */
const pollMs = 70_000;
/** Temporal's numbers of the types of task queues. */
const taskTypes = { workflow: 1, activity: 2 } as const;

/** A worker that polls a task queue, or did in the last minutes. */
export interface Poller {
  /** Its process and host, as `4711@worker-1`. */
  readonly identity: string;
  /** The deployment that it reports. */
  readonly deployment?: string;
  /** The time of its last poll. */
  readonly at: string;
  /** False if it has stopped polling: it is frozen, or was stopped. */
  readonly works: boolean;
}

/** Pollers of the workflow or activity tasks of a queue, and whether one of them is active. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  type: keyof typeof taskTypes = 'workflow',
): Promise<{ works: boolean; at?: string; pollers: readonly Poller[] }> {
  const { namespace } = client.options;
  const { pollers: found } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: taskTypes[type],
  });
  // A process polls several times at once.
  const last = new Map<string, { at: number; deployment?: string }>();
  for (const { identity, lastAccessTime, deploymentOptions } of found) {
    const at = Math.max(last.get(identity ?? '')?.at ?? 0, tsToMs(lastAccessTime));
    const deployment = deploymentOptions?.deploymentName;
    last.set(identity ?? '', { at, ...(deployment && { deployment }) });
  }
  const since = Date.now() - pollMs;
  const pollers = [...last].map(([identity, { at, ...poller }]) => ({
    identity,
    ...poller,
    at: new Date(at).toISOString(),
    works: at >= since,
  }));
  const at = Math.max(0, ...[...last.values()].map((it) => it.at));
  return { works: at >= since, ...(at > 0 && { at: new Date(at).toISOString() }), pollers };
}

/** The state of the server as metrics show it. */
export interface ServerState {
  /** Tasks that wait for a worker, approximately. */
  readonly backlog: readonly { readonly queue: string; readonly type: string; readonly tasks: number }[];
  /** Runs whose workflow tasks fail; undefined if the server does not report it. */
  readonly failing: number | undefined;
}

/** Reads the backlog of the task queues and the number of failing runs. */
export async function serverState(client: Client, { temporal, orchestrators }: Config): Promise<ServerState> {
  const { namespace } = client.options;
  const queues = [temporal.taskQueue, ...Object.keys(orchestrators).map((id) => queueOf(temporal.taskQueue, id))];
  const asked = queues.flatMap((queue) => Object.entries(taskTypes).map(([type, number]) => ({ queue, type, number })));
  const [failing, ...backlog] = await Promise.all([
    countFailingRuns(client),
    ...asked.map(async ({ queue, type, number }) => {
      const { stats } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType: number,
        reportStats: true,
      });
      return { queue, type, tasks: Number(stats?.approximateBacklogCount ?? 0) };
    }),
  ]);
  return { backlog, failing };
}
