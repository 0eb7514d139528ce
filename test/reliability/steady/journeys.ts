import type { JsonObject } from '../../../src/base/json/value.js';

/** A journey of the mix: the calls that each of its runs makes exactly once, and its outcome. */
export interface SteadyJourney {
  readonly name: string;
  readonly spec: JsonObject;
  readonly calls: readonly string[];
  readonly ends: 'SUCCEEDED' | 'FAILED';
  /** A step that the client submits some time after the start. */
  readonly submits?: string;
  /** The start responds at the end of the run, so its duration is the run's. */
  readonly isSync?: true;
}

const call = (point: string, next: string, method = 'POST'): JsonObject => ({
  type: 'task',
  task: {
    kind: 'httpCall:v1',
    method,
    url: `LEDGER/\${context.run}/${point}`,
    ...(method === 'POST' && { body: {} }),
    resultVar: point,
  },
  next,
});
const done = { done: { type: 'succeed' } };

/** A mix of typical journeys. */
export const steadyJourneys: readonly SteadyJourney[] = [
  {
    name: 'pure',
    spec: {
      start: 'add',
      states: {
        add: {
          type: 'transform',
          transform: { expr: '[1, 2, 3] map $ * 2', target: { kind: 'var' }, resultVar: 'n' },
          next: 'done',
        },
        ...done,
      },
    },
    calls: [],
    ends: 'SUCCEEDED',
    isSync: true,
  },
  {
    name: 'posts',
    spec: { start: 'a', states: { a: call('a', 'b'), b: call('b', 'c'), c: call('c', 'done'), ...done } },
    calls: ['a', 'b', 'c'],
    ends: 'SUCCEEDED',
    isSync: true,
  },
  {
    name: 'reads',
    spec: { start: 'a', states: { a: call('a', 'b', 'GET'), b: call('b', 'done'), ...done } },
    calls: ['a', 'b'],
    ends: 'SUCCEEDED',
    isSync: true,
  },
  {
    name: 'asks',
    spec: {
      start: 'ask',
      states: {
        ask: { type: 'wait', wait: { channel: 'manual', input: { schema: { type: 'object' } } }, next: 'a' },
        a: call('a', 'done'),
        ...done,
      },
    },
    calls: ['a'],
    ends: 'SUCCEEDED',
    submits: 'ask',
  },
  {
    name: 'sleeps',
    spec: {
      start: 'nap',
      states: { nap: { type: 'timer', timer: { duration: 'PT2S' }, next: 'a' }, a: call('a', 'done'), ...done },
    },
    calls: ['a'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'forks',
    spec: {
      start: 'both',
      states: {
        both: {
          type: 'parallel',
          parallel: {
            branches: ['l', 'r'].map((name) => ({ name, start: 'go', states: { go: call(name, 'done'), ...done } })),
            join: { strategy: 'allOf' },
          },
          next: 'done',
        },
        ...done,
      },
    },
    calls: ['l', 'r'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'undoes',
    spec: {
      start: 'a',
      states: { a: call('a', 'lost'), lost: { type: 'fail', errorCode: 'NO_STOCK', reason: 'Sold out' } },
      compensation: { mode: 'sync', start: 'undo', states: { undo: call('undo', 'done'), ...done } },
    },
    calls: ['a', 'undo'],
    ends: 'FAILED',
  },
];

/** The document of a journey that calls this ledger. */
export function steadyDocument({ name, spec, isSync }: SteadyJourney, ledger: string): string {
  const lifecycle = { startMode: isSync ? 'sync' : 'async' };
  const document = {
    apiVersion: 'v1',
    kind: 'Journey',
    metadata: { name, version: '1.0.0' },
    spec: { lifecycle, ...spec },
  };
  return JSON.stringify(document).replaceAll('LEDGER', ledger);
}
