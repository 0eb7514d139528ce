import type { Bench, Entrant } from '../bench.js';
import type { Flow } from '../contestants/contestant.js';
import { cpuMs } from '../processes.js';

/** A run and its cost: time, and CPU of its worker and of the server. */
export interface RunCost {
  id: string;
  latencyMs: number;
  workerMs: number;
  serverMs: number;
}

/** Runs a flow to its end and measures it from outside. */
export async function costOf(bench: Bench, entrant: Entrant, flow: Flow): Promise<RunCost> {
  const [workerPid, serverPid] = [entrant.worker.pid, bench.server.pid];
  const [worker, server, began] = [cpuMs(workerPid), cpuMs(serverPid), performance.now()];
  const id = await bench.run(entrant, flow);
  return {
    id,
    latencyMs: performance.now() - began,
    workerMs: cpuMs(workerPid) - worker,
    serverMs: cpuMs(serverPid) - server,
  };
}

/** The length of a run's history, over all of its executions if it continued as new. */
export async function historyOf(bench: Bench, id: string): Promise<{ events: number; bytes: number }> {
  let [events, bytes] = [0, 0];
  for (let runId: string | undefined = ''; runId !== undefined; runId = await previousOf(bench, id, runId)) {
    const { raw, historyLength } = await bench.client.workflow.getHandle(id, runId).describe();
    events += historyLength;
    bytes += Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0);
  }
  return { events, bytes };
}

/** The previous execution; undefined for the first. */
async function previousOf({ client }: Bench, workflowId: string, runId: string): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
}

/** Waits until a run has completed its first workflow task and waits for something else. */
export async function parked(bench: Bench, id: string): Promise<void> {
  for (let i = 0; i < 1_000; i++) {
    const { raw, historyLength } = await bench.client.workflow.getHandle(id).describe();
    if (historyLength >= 4 && !raw.pendingWorkflowTask) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${id} does not wait`);
}

/** Runs a flow a few times unmeasured, because first runs compile and connect. */
export async function warmUp(bench: Bench, entrants: readonly Entrant[], flow: Flow, times: number): Promise<void> {
  for (const entrant of entrants) for (let i = 0; i < times; i++) await bench.run(entrant, flow);
}

/** Performs `work` this many times with several concurrent callers. */
export async function byCallers(callers: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times;
  const caller = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
