import type { Client } from '@temporalio/client';
import type { Measured } from '../processes.js';

/** The flows of the benchmarks, which each contestant implements in its own way. */
export type Flow =
  /** Sequential calls whose responses are kept, and a check that all succeeded. `path` is the folder of the called service. */
  | { kind: 'calls'; method: 'GET' | 'POST'; count: number; path: string }
  /** One `POST` in each of several branches. */
  | { kind: 'parallel'; branches: number }
  /** One `POST` for each item of a list, with bounded concurrency and ordered results. */
  | { kind: 'each'; items: number; atOnce: number }
  /** Ends after the submission `approve`. */
  | { kind: 'wait' }
  /** Ends at once. */
  | { kind: 'nothing' };

/** The contestants, as the raw data names them. */
export type ContestantName = 'journeyman' | 'by-hand' | 'interpreter' | 'zigflow';

/** The server, task queue and service that a contestant works with. */
export interface Site {
  readonly client: Client;
  readonly address: string;
  readonly taskQueue: string;
  readonly serviceUrl: string;
}

/** How the bare client starts a workflow. */
export interface WorkflowStart {
  type: string;
  taskQueue: string;
  args: unknown[];
  [option: string]: unknown;
}

/** One way to run a flow on Temporal. */
export interface Contestant {
  readonly name: ContestantName;
  readonly title: string;
  can(flow: Flow): boolean;
  /** Starts a worker that can run the flows; it polls when this resolves. */
  launch(site: Site, flows: readonly Flow[]): Promise<Measured>;
  start(site: Site, flow: Flow, workflowId: string): WorkflowStart;
  /** Creates a Schedule that starts `nothing` at an interval in seconds from `startAt`; returns its id. */
  schedule(site: Site, name: string, everySeconds: number, startAt: Date): Promise<string>;
}

/** A plain Temporal schedule, for contestants without their own. */
export async function bareSchedule(
  contestant: Pick<Contestant, 'start'>,
  site: Site,
  scheduleId: string,
  everySeconds: number,
  startAt: Date,
): Promise<string> {
  const { type, taskQueue, args } = contestant.start(site, { kind: 'nothing' }, scheduleId);
  const every = everySeconds * 1000;
  await site.client.schedule.create({
    scheduleId,
    spec: { intervals: [{ every, offset: startAt.getTime() % every }], startAt: new Date(startAt.getTime() - 1) },
    action: { type: 'startWorkflow', workflowType: type, workflowId: scheduleId, taskQueue, args },
  });
  return scheduleId;
}

/** A name of a flow, for documents and workflow types. */
export function flowName(flow: Flow): string {
  if (flow.kind === 'calls') return `calls-${flow.method.toLowerCase()}-${flow.count}${flow.path.replaceAll('/', '-')}`;
  if (flow.kind === 'parallel') return `parallel-${flow.branches}`;
  return flow.kind;
}
