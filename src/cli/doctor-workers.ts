import type { Config } from '../config/config.js';
import type { Connected } from '../temporal/connection.js';
import { queueOf } from '../temporal/jobs/action.js';
import { isUntouched } from '../temporal/namespace-secret.js';
import { polled } from '../temporal/pollers.js';
import type { Check } from './doctor-checks.js';

/** Whether anybody works: journeys, and the jobs of each orchestrator, wait in queues until a worker takes them. */
export async function workersCheck({ temporal, orchestrators }: Config, client: Connected['client']): Promise<Check> {
  const { taskQueue } = temporal;
  const about = { id: 'workers', name: 'Workers' };
  const { works, at } = await polled(client, taskQueue);
  if (!works)
    return {
      ...about,
      // Before the first worker there is nothing that could wait for it, and whoever prepares a namespace asks us first.
      status: (await isUntouched(client)) ? 'warn' : 'bad',
      detail: `none works for the task queue ${taskQueue}${at === undefined ? '' : `; one last asked for work at ${at}`}`,
      hint: 'Start one: journeyman worker, or journeyman up for everything. Journeys that are started wait until then.',
    };
  const idle: string[] = [];
  for (const id of Object.keys(orchestrators)) if (!(await polled(client, queueOf(taskQueue, id))).works) idle.push(id);
  if (idle.length === 0) return { ...about, status: 'ok', detail: `there for the task queue ${taskQueue}` };
  return {
    ...about,
    status: 'warn',
    detail: `none takes the jobs of ${idle.join(', ')}`,
    hint: 'Workers must have these orchestrators in their configuration too. Jobs wait until then.',
  };
}
