import type { Program, Statement } from '../interpreter/workflows.js';
import { bareSchedule, type Contestant, type Flow } from './contestant.js';
import { typescriptWorker } from './hand-written.js';

/** A small interpreter that follows Temporal's samples: sequences, branches and activities. */
export const interpreter: Contestant = {
  name: 'interpreter',
  title: 'small interpreter',
  can: ({ kind }) => kind === 'calls' || kind === 'parallel' || kind === 'nothing',
  launch: (site) => typescriptWorker(site, 'interpreter/workflows.js'),
  start: (site, flow) => ({
    type: 'interpret',
    taskQueue: site.taskQueue,
    args: [{ variables: { url: site.serviceUrl }, root: { sequence: statementsOf(flow) } } satisfies Program],
  }),
  schedule: (site, name, everySeconds, startAt) => bareSchedule(interpreter, site, name, everySeconds, startAt),
};

function statementsOf(flow: Flow): Statement[] {
  if (flow.kind === 'calls') {
    const { method, count, path } = flow;
    return [...callsOf(method, count, path), { allSucceeded: resultsOf(count) }];
  }
  if (flow.kind === 'parallel') {
    return [{ parallel: callsOf('POST', flow.branches, '') }, { allSucceeded: resultsOf(flow.branches) }];
  }
  return [];
}

const callsOf = (method: string, count: number, path: string): Statement[] =>
  Array.from({ length: count }, (_, i) => ({
    call: { method, path: `${path}/${i}`, ...(method === 'POST' && { body: { i } }), result: `r${i}` },
  }));

const resultsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `r${i}`);
