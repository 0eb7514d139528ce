import type { Connection } from '@temporalio/client';

const day = 86_400;

/** Days for which a namespace keeps ended runs. */
export async function retentionDays(connection: Connection, namespace: string): Promise<number> {
  const answer = await connection.workflowService.describeNamespace({ namespace });
  return Number(answer.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / day;
}

/** Sets how long a namespace keeps ended runs, if it differs. */
export async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  if ((await retentionDays(connection, namespace)) === days) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: days * day } as never },
  });
}
