import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, listeningProcess } from '../processes.js';
import { scratchFolder } from '../scratch.js';
import { bareSchedule, type Contestant, type Flow, flowName } from './contestant.js';

/** The executable next to the checkout; without it this contestant is omitted. */
const executable = '../shared/tools/zigflow';

/** Whether Zigflow is available. */
export const hasZigflow = (): boolean => existsSync(executable);

/** Zigflow, a Go worker for documents in the style of Serverless Workflow. It uses the Go SDK's default settings, for which it has no flags. */
export const zigflow: Contestant = {
  name: 'zigflow',
  title: 'Zigflow',
  can: ({ kind }) => kind !== 'each',
  async launch(site, flows) {
    const path = join(scratchFolder(), 'workflows.yaml');
    writeFileSync(path, JSON.stringify(documentOf(site.taskQueue, flows)));
    const [health, metrics] = await freePorts(2);
    const listen = (name: string, port?: number) => [`--${name}-listen-address`, `127.0.0.1:${port}`];
    return await listeningProcess(
      executable,
      [
        ...['run', '--disable-telemetry', '--log-level', 'error', '--file', path, '--temporal-address', site.address],
        ...[...listen('health', health), ...listen('metrics', metrics)],
      ],
      `127.0.0.1:${health}`,
    );
  },
  start: (site, flow) => ({ type: flowName(flow), taskQueue: site.taskQueue, args: [{ url: site.serviceUrl }] }),
  schedule: (site, name, everySeconds, startAt) => bareSchedule(zigflow, site, name, everySeconds, startAt),
};

/** One document with a workflow for each flow; JSON is YAML. */
function documentOf(taskQueue: string, flows: readonly Flow[]): object {
  return {
    document: {
      ...{ dsl: '1.0.0', namespace: taskQueue, name: 'bench', version: '1.0.0' },
      metadata: { activityOptions: { startToCloseTimeout: { seconds: 11 } } },
    },
    do: flows.map((flow) => ({ [flowName(flow)]: { do: tasksOf(flow) } })),
  };
}

function tasksOf(flow: Flow): object[] {
  switch (flow.kind) {
    case 'calls':
      // Responses are stored by task name, and a failed call raises an error.
      return Array.from({ length: flow.count }, (_, i) => ({ [`r${i}`]: call(flow.method, `${flow.path}/${i}`, i) }));
    case 'parallel': {
      const branches = Array.from({ length: flow.branches }, (_, i) => ({ [`r${i}`]: call('POST', `/${i}`, i) }));
      return [{ [`all${flow.branches}`]: { fork: { compete: false, branches } } }];
    }
    case 'wait':
      return [
        {
          approved: {
            metadata: { timeout: '24h' },
            listen: { to: { one: { with: { id: 'approve', type: 'signal' } } } },
          },
        },
      ];
    default:
      return [{ done: { set: { ok: true } } }];
  }
}

function call(method: 'GET' | 'POST', path: string, i: number) {
  return {
    call: 'http',
    with: {
      method: method.toLowerCase(),
      endpoint: `\${ $input.url + "${path}" }`,
      ...(method === 'POST' && { headers: { 'content-type': 'application/json' }, body: { i } }),
    },
  };
}
