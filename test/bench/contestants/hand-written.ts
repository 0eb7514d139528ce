import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { itemsOf } from '../../support/map-journey.js';
import { type Measured, nodeProcess } from '../processes.js';
import { scratchFolder } from '../scratch.js';
import { bareSchedule, type Contestant, type Flow, type Site, type WorkflowStart } from './contestant.js';

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The same handler as an Api of the benchmark, in express. */
export const handlerFile = file('hand-written/express.js');

const bundles = new Map<string, Promise<string>>();

/** Bundles workflows before any worker starts, as a deployment does; returns the file. */
function bundled(workflows: string): Promise<string> {
  const bundling =
    bundles.get(workflows) ??
    bundleWorkflowCode({ workflowsPath: file(workflows), logger: new DefaultLogger('ERROR') }).then(({ code }) => {
      const path = join(scratchFolder(), 'bundle.js');
      writeFileSync(path, code);
      return path;
    });
  bundles.set(workflows, bundling);
  return bundling;
}

/** Starts a worker with the settings of a journey worker and the workflows of another file. */
export async function typescriptWorker(
  site: Pick<Site, 'address' | 'taskQueue'>,
  workflows: string,
): Promise<Measured> {
  const bundle = await bundled(workflows);
  return await nodeProcess([file('hand-written/worker.js'), site.address, site.taskQueue, bundle], 'Worker polls');
}

/** A flow as a team would write it with Temporal's TypeScript SDK. */
export const handWritten: Contestant = {
  name: 'by-hand',
  title: 'by hand',
  can: () => true,
  launch: (site) => typescriptWorker(site, 'hand-written/workflows.js'),
  start: (site, flow) => ({ taskQueue: site.taskQueue, ...workflowOf(flow, site.serviceUrl) }),
  schedule: (site, name, everySeconds, startAt) => bareSchedule(handWritten, site, name, everySeconds, startAt),
};

function workflowOf(flow: Flow, url: string): Pick<WorkflowStart, 'type' | 'args'> {
  switch (flow.kind) {
    case 'calls':
      return { type: 'calls', args: [flow.method, `${url}${flow.path}`, flow.count] };
    case 'parallel':
      return { type: 'branches', args: [url, flow.branches] };
    case 'each':
      return { type: 'eachItem', args: [url, itemsOf(flow.items), flow.atOnce] };
    case 'wait':
      return { type: 'wait', args: [] };
    case 'nothing':
      return { type: 'nothing', args: [] };
  }
}
