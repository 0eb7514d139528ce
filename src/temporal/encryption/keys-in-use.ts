import type { Client } from '@temporalio/client';
import { areRuns } from '../list-runs.js';
import { keyIdOf } from './codec.js';

/** How many of the newest runs, and of those that are running, are looked at. */
const lookedAt = 500;

/** The keys that runs and schedules were encrypted with, and how many of those looked at need each. */
export async function keysInUse({ workflowService, options }: Client): Promise<Map<string, number>> {
  const { namespace } = options;
  const list = (query: string) =>
    workflowService
      .listWorkflowExecutions({ namespace, query, pageSize: lookedAt })
      .then(({ executions }) => executions);
  const [running, newest, { schedules }] = await Promise.all([
    list(`${areRuns} AND ExecutionStatus = 'Running'`),
    list(areRuns),
    workflowService.listSchedules({ namespace, maximumPageSize: lookedAt }),
  ]);
  const runs = new Map([...running, ...newest].map((it) => [it.execution?.runId, it]));
  const used = new Map<string, number>();
  for (const { memo } of [...runs.values(), ...schedules])
    for (const id of new Set(Object.values(memo?.fields ?? {}).map(keyIdOf)))
      if (id !== undefined) used.set(id, (used.get(id) ?? 0) + 1);
  return used;
}
