import { tsToMs } from '../../../src/temporal/sdk-internals.js';
import type { Bench } from '../bench.js';

/**
 * Milliseconds from each nominal time of a schedule to the end of the first workflow task of its run, or of the run's child. The first is
 * omitted, because it is also the first for its worker.
 */
export async function lagsOf(bench: Bench, scheduleId: string, of: 'run' | 'child' = 'run'): Promise<number[]> {
  const { info } = await describe(bench, scheduleId);
  const lags: number[] = [];
  for (const { scheduleTime, startWorkflowResult } of info?.recentActions ?? []) {
    const id = startWorkflowResult!.workflowId!;
    const first = await firstTask(bench, of === 'run' ? id : await childOf(bench, id));
    lags.push(first - tsToMs(scheduleTime));
  }
  return lags.slice(1);
}

/** The number of times that schedules have fired. */
export async function firesOf(bench: Bench, scheduleIds: readonly string[]): Promise<number> {
  const all = await Promise.all(scheduleIds.map((id) => describe(bench, id)));
  return all.reduce((sum, { info }) => sum + Number(info?.actionCount ?? 0), 0);
}

function describe({ client }: Bench, scheduleId: string) {
  return client.workflowService.describeSchedule({ namespace: 'default', scheduleId });
}

async function firstTask(bench: Bench, workflowId: string): Promise<number> {
  const event = (await eventsOf(bench, workflowId)).find((it) => it.workflowTaskCompletedEventAttributes);
  if (!event) throw new Error(`${workflowId} has no workflow task yet`);
  return tsToMs(event.eventTime);
}

async function childOf(bench: Bench, workflowId: string): Promise<string> {
  const events = await eventsOf(bench, workflowId);
  const started = events.find((it) => it.childWorkflowExecutionStartedEventAttributes);
  const id = started?.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
  if (!id) throw new Error(`${workflowId} has no child yet`);
  return id;
}

async function eventsOf({ client }: Bench, workflowId: string) {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}
