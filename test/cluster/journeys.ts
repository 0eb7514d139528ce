import type { JsonObject } from '../../src/base/json/value.js';

/** A journey of the load: its states, the expected outcome of a run, and further actions of its caller. */
export interface LoadJourney {
  readonly name: string;
  /** Its share of the runs. */
  readonly weight: number;
  readonly phase: 'SUCCEEDED' | 'FAILED';
  readonly code?: string;
  /** States that call the ledger, each once. */
  readonly calls: readonly string[];
  /** The step that the caller submits, or the state in which it cancels the run. */
  readonly submits?: string;
  readonly cancelsIn?: string;
  document(ledger: string): JsonObject;
}

const call = (ledger: string, journey: string, state: string, next: string, method = 'POST'): JsonObject => ({
  type: 'task',
  task: {
    kind: 'httpCall:v1',
    method,
    url: `${ledger}/${journey}/\${context.n}/${state}`,
    ...(method === 'POST' && { body: { n: 1 } }),
    timeoutMs: 10_000,
    resultVar: state,
  },
  next,
});

const journey = (name: string, start: string, states: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Journey',
  metadata: { name, version: '1.0.0' },
  spec: { start, states, ...more },
});

const succeed: JsonObject = { type: 'succeed', output: { expr: '{ n: context.n }' } };
const waits = (next: string): JsonObject => ({
  type: 'wait',
  wait: { channel: 'manual', input: { schema: { type: 'object' } } },
  next,
});
const compensation = (ledger: string, name: string, state: string): JsonObject => ({
  compensation: {
    mode: 'sync',
    start: state,
    states: { [state]: call(ledger, name, state, 'undone'), undone: { type: 'succeed' } },
  },
});

/** The journeys of the load: calls, reads, a timer, a person, branches, a failure and a cancel with compensation. */
export const loadJourneys: readonly LoadJourney[] = [
  {
    name: 'order',
    weight: 5,
    phase: 'SUCCEEDED',
    calls: ['reserve', 'look', 'charge'],
    document: (ledger) =>
      journey('order', 'reserve', {
        reserve: call(ledger, 'order', 'reserve', 'look'),
        look: call(ledger, 'order', 'look', 'charge', 'GET'),
        charge: call(ledger, 'order', 'charge', 'done'),
        done: succeed,
      }),
  },
  {
    name: 'approval',
    weight: 1.5,
    phase: 'SUCCEEDED',
    calls: ['ask', 'record'],
    submits: 'decision',
    document: (ledger) =>
      journey('approval', 'ask', {
        ask: call(ledger, 'approval', 'ask', 'decision'),
        decision: waits('record'),
        record: call(ledger, 'approval', 'record', 'done'),
        done: succeed,
      }),
  },
  {
    name: 'reminder',
    weight: 1.5,
    phase: 'SUCCEEDED',
    calls: ['begin', 'remind'],
    document: (ledger) =>
      journey(
        'reminder',
        'begin',
        {
          begin: call(ledger, 'reminder', 'begin', 'pause'),
          pause: { type: 'timer', timer: { duration: 'PT3S' }, next: 'remind' },
          remind: call(ledger, 'reminder', 'remind', 'done'),
          done: succeed,
        },
        { lifecycle: { startMode: 'async' } },
      ),
  },
  {
    name: 'offers',
    weight: 1,
    phase: 'SUCCEEDED',
    calls: ['left', 'middle', 'right'],
    document: (ledger) =>
      journey('offers', 'all', {
        all: {
          type: 'parallel',
          parallel: {
            branches: ['left', 'middle', 'right'].map((name) => ({
              name,
              start: name,
              states: { [name]: call(ledger, 'offers', name, 'got'), got: { type: 'succeed' } },
            })),
            join: { strategy: 'allOf' },
          },
          next: 'done',
        },
        done: succeed,
      }),
  },
  {
    name: 'refused',
    weight: 0.5,
    phase: 'FAILED',
    code: 'REFUSED',
    calls: ['book', 'unbook'],
    document: (ledger) =>
      journey(
        'refused',
        'book',
        {
          book: call(ledger, 'refused', 'book', 'no'),
          no: { type: 'fail', errorCode: 'REFUSED', reason: 'As it must end' },
        },
        compensation(ledger, 'refused', 'unbook'),
      ),
  },
  {
    name: 'cancelled',
    weight: 0.5,
    phase: 'FAILED',
    code: 'JOURNEY_CANCELLED',
    calls: ['hold', 'release'],
    cancelsIn: 'answer',
    document: (ledger) =>
      journey(
        'cancelled',
        'hold',
        {
          hold: call(ledger, 'cancelled', 'hold', 'answer'),
          answer: waits('done'),
          done: succeed,
        },
        compensation(ledger, 'cancelled', 'release'),
      ),
  },
];

/** A journey whose runs schedule `times` further runs, each of which makes one call and counts. */
export const subscription = (ledger: string, times: number, everySec: number): JsonObject =>
  journey('subscription', 'plan', {
    plan: {
      type: 'task',
      task: {
        kind: 'schedule:v1',
        start: 'count',
        interval: `PT${everySec}S`,
        maxRuns: times,
        subjectId: { expr: 'context.n' },
        context: { expr: '{ n: context.n, count: 0 }' },
        onExisting: 'fail',
      },
      next: 'planned',
    },
    planned: { type: 'succeed' },
    count: {
      type: 'transform',
      transform: { expr: '{ n: context.n, count: context.count + 1 }', target: { kind: 'context' } },
      next: 'collect',
    },
    collect: {
      type: 'task',
      task: {
        kind: 'httpCall:v1',
        method: 'POST',
        url: `${ledger}/subscription/\${context.n}/\${context.count}`,
        body: { n: 1 },
        timeoutMs: 10_000,
        resultVar: 'collected',
      },
      next: 'keep',
    },
    keep: {
      type: 'transform',
      transform: { expr: '{ n: context.n, count: context.count }', target: { kind: 'context' } },
      next: 'collected',
    },
    collected: { type: 'succeed' },
  });

/** The target of the jobs: one call. */
export const tally = (ledger: string): JsonObject => {
  const task = { kind: 'httpCall:v1', method: 'POST', url: `${ledger}/tally/\${platform.run.id}/call`, body: { n: 1 } };
  return journey('tally', 'call', {
    call: { type: 'task', task: { ...task, timeoutMs: 10_000, resultVar: 'called' }, next: 'done' },
    done: succeed,
  });
};

/** The handler of the pipeline: one call for each event. */
export const parcel = (ledger: string): JsonObject =>
  journey('parcel', 'send', { send: call(ledger, 'parcel', 'send', 'done'), done: { type: 'succeed' } });

/** The pipeline to which the load publishes events. */
export const parcels: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pipeline',
  metadata: { name: 'parcels', version: '1.0.0' },
  spec: {
    topics: { parcels: {} },
    consumers: { send: { topics: ['parcels'], journey: 'parcel', input: { expr: '{ n: event.payload.n }' } } },
  },
};

/** A journey with this many sequential calls, to measure the cost of one. */
export const steps = (ledger: string, name: string, count: number): JsonObject => {
  const names = Array.from({ length: count }, (_, i) => `s${i + 1}`);
  return journey(name, names[0] ?? 'done', {
    ...Object.fromEntries(names.map((state, i) => [state, call(ledger, name, state, names[i + 1] ?? 'done')])),
    done: succeed,
  });
};
