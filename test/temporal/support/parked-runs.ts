import type { JsonObject } from '../../../src/base/json/value.js';

/** The service that parked runs call. Their definitions contain its address, so it must never change. */
export const parkedServicePort = 27_391;

/** A journey whose run is parked in the database of a release, and how it continues. */
export interface ParkedRun {
  readonly name: string;
  readonly spec: JsonObject;
  /** Steps to submit, in order, or `cancel`. */
  readonly steps: readonly string[];
  /** The version to migrate it to first. */
  readonly migratesTo?: string;
  /** Points of the service that it has called before it is parked. */
  readonly called: readonly string[];
  /** Points that it calls afterwards, each once. */
  readonly calls: readonly string[];
  readonly ends: string;
}

const call = (point: string, next: string): JsonObject => ({
  type: 'task',
  task: {
    kind: 'httpCall:v1',
    method: 'POST',
    url: `http://127.0.0.1:${parkedServicePort}/\${context.run}/${point}`,
    body: {},
    timeoutMs: 60_000,
    resultVar: 'answer',
  },
  next,
});
const ask = (next: string): JsonObject => ({
  type: 'wait',
  wait: { channel: 'manual', input: { schema: { type: 'object', required: ['n'] } } },
  next,
});
/** Has passed when the database is opened again. */
const nap = (next: string): JsonObject => ({ type: 'timer', timer: { duration: 'PT30S' }, next });
const end = { end: { type: 'succeed' } };

/** One for each state at which a run can be parked. */
export const parkedRuns: readonly ParkedRun[] = [
  {
    name: 'parked-wait',
    spec: {
      start: 'before',
      states: { before: call('before', 'ask'), ask: ask('after'), after: call('after', 'end'), ...end },
    },
    steps: ['ask'],
    called: ['before'],
    calls: ['after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-webhook',
    spec: {
      start: 'hook',
      states: {
        hook: { type: 'webhook', webhook: { input: { schema: { type: 'object' } } }, next: 'after' },
        after: call('after', 'end'),
        ...end,
      },
    },
    steps: ['hook'],
    called: [],
    calls: ['after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-timer',
    spec: { start: 'nap', states: { nap: nap('after'), after: call('after', 'end'), ...end } },
    steps: [],
    called: [],
    calls: ['after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-task',
    // Its call is in flight when the worker dies.
    spec: { start: 'held', states: { held: call('held', 'after'), after: call('after', 'end'), ...end } },
    steps: [],
    called: ['held'],
    calls: ['held', 'after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-parallel',
    spec: {
      start: 'both',
      states: {
        both: {
          type: 'parallel',
          parallel: {
            branches: [
              { name: 'asks', start: 'ask', states: { ask: ask('left'), left: call('left', 'end'), ...end } },
              { name: 'naps', start: 'nap', states: { nap: nap('right'), right: call('right', 'end'), ...end } },
            ],
            join: { strategy: 'allOf' },
          },
          next: 'after',
        },
        after: call('after', 'end'),
        ...end,
      },
    },
    steps: ['ask'],
    called: [],
    calls: ['left', 'right', 'after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-map',
    spec: {
      start: 'each',
      states: {
        each: {
          type: 'map',
          map: {
            items: { expr: '["x", "y"]' },
            input: { expr: '{ run: context.run, item: item }' },
            start: 'nap',
            states: { nap: nap('item'), item: call('${context.item}', 'end'), ...end },
          },
          next: 'after',
        },
        after: call('after', 'end'),
        ...end,
      },
    },
    steps: [],
    called: [],
    calls: ['x', 'y', 'after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-subjourney',
    spec: {
      start: 'sub',
      states: {
        sub: {
          type: 'subjourney',
          subjourney: { ref: 'inner', input: { expr: '{ run: context.run }' }, resultVar: 'r' },
          next: 'after',
        },
        after: call('after', 'end'),
        ...end,
      },
      subjourneys: { inner: { start: 'ask', states: { ask: ask('inside'), inside: call('inside', 'end'), ...end } } },
    },
    steps: ['ask'],
    called: [],
    calls: ['inside', 'after'],
    ends: 'SUCCEEDED',
  },
  {
    name: 'parked-cancelled',
    spec: {
      start: 'sleep',
      states: { sleep: { type: 'timer', timer: { duration: 'P36500D' }, next: 'end' }, ...end },
      compensation: { mode: 'sync', start: 'undo', states: { undo: call('undo', 'end'), ...end } },
    },
    steps: ['cancel'],
    called: [],
    calls: ['undo'],
    ends: 'JOURNEY_CANCELLED',
  },
  {
    name: 'parked-compensation',
    // It has failed; its compensation sleeps.
    spec: {
      start: 'lost',
      states: { lost: { type: 'fail', errorCode: 'NO_STOCK', reason: 'Sold out' } },
      compensation: { mode: 'sync', start: 'nap', states: { nap: nap('undo'), undo: call('undo', 'end'), ...end } },
    },
    steps: [],
    called: [],
    calls: ['undo'],
    ends: 'NO_STOCK',
  },
  {
    name: 'parked-migrated',
    spec: { start: 'ask', states: { ask: ask('after'), after: call('after', 'end'), ...end } },
    steps: ['ask'],
    migratesTo: '2.0.0',
    called: [],
    calls: ['newer'],
    ends: 'SUCCEEDED',
  },
];

/** The version of a journey at the time its run was parked. */
export function parkedDocument({ name, spec }: ParkedRun): string {
  return document(name, '1.0.0', { lifecycle: { startMode: 'async' }, ...spec });
}

/** The later content of the same name and version, which shares nothing with it. A migrated journey also has a newer version. */
export function changedDocuments({ name, migratesTo }: ParkedRun): Record<string, string> {
  const changed = document(name, '1.0.0', {
    start: 'other',
    states: { other: { type: 'fail', errorCode: 'CHANGED', reason: 'This is another journey now' } },
  });
  if (!migratesTo) return { [`${name}.journey.json`]: changed };
  const states = { ask: ask('newer'), newer: call('newer', 'end'), ...end };
  return {
    [`${name}.journey.json`]: changed,
    [`${name}-newer.journey.json`]: document(name, migratesTo, {
      lifecycle: { startMode: 'async' },
      start: 'ask',
      states,
    }),
  };
}

function document(name: string, version: string, spec: JsonObject): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata: { name, version }, spec });
}
