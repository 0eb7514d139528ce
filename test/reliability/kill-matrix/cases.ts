import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { ProcessName } from '../stand.js';

/** The moments of a step at which a process is killed. */
export const moments = ['before', 'during', 'after'] as const;
export type Moment = (typeof moments)[number];

/**
 * How to detect that a run is in its step: the ledger holds a call at a point; the run is parked at a state; or not at all from outside, in
 * which case the process dies within a span of milliseconds after the response to the previous step.
 */
export type During = { held: readonly string[] } | { parked: string } | { withinMs: number } | { startMs: number };

/** The client's request while the run is in its step. */
export type Submission = { step: string; body?: JsonObject } | { cancel: true };

/** One row of the matrix: a journey with the step between `before` and `after`, and the expected result. */
export interface KillCase {
  readonly name: string;
  /** The states `step`, …; the step continues at `after`, a call to the ledger with `context.value`. */
  readonly states: JsonObject;
  /** Additional fields of `spec`. */
  readonly spec?: JsonObject;
  /** Additional fields of the start's body. */
  readonly input?: JsonObject;
  /** The points before and after the step: by default `before` and `after`. Null: the run ends after the step. */
  readonly gate?: string;
  readonly follow?: string | null;
  readonly during: During;
  readonly submit?: Submission;
  /** Exactly these keys by point, in addition to `before` and `after`; `$` is the run id, `@` its label, `*` a number, `?` any text. Other points must not be called. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Safe calls carry no key. */
  readonly safe?: readonly string[];
  /** Points that are never called twice, regardless of the killed process. */
  readonly once?: readonly string[];
  /** The `value` with which `after` is called; a list of correct values. Without it the run ends in its step. */
  readonly value?: readonly Json[];
  /** The outcome of the run: an error code for a failure; default SUCCEEDED. */
  readonly ends?: string;
  /** An additional permitted error code if one of these processes is killed while the run still needs it. */
  readonly mayEnd?: { readonly code: string; readonly killed: readonly ProcessName[] };
  /** A second, concurrent journey, and the id of its run. */
  readonly beside?: { readonly journey: string; readonly spec: JsonObject; readonly ended: JsonObject };
  /** A journey started by the run. */
  readonly child?: { readonly journey: string; readonly spec: JsonObject };
  /** Requires a real Kafka. */
  readonly kafka?: true;
}

const numbers = 1_000;
/** About half a second of computation, over several workflow tasks. */
const computed = `sizeOf((1 to ${numbers}) filter (($ mod 2) == 0))`;
const computing = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, computed]));
/** A slow expression, and its value. */
export const longExpression = `(${Object.values(computing).join(' + ')}) / 12`;
export const longResult = numbers / 2;

/** A call to the ledger. */
export function call(point: string, next: string, more: JsonObject = {}): JsonObject {
  const url = `LEDGER/\${context.run}/${point}`;
  // Longer than any downtime of a process: the test is about the crash, not the timeout.
  const task = { kind: 'httpCall:v1', method: 'POST', url, body: {}, timeoutMs: 60_000, resultVar: 'answer' };
  return { type: 'task', task: { ...task, ...more }, next };
}

const keep = (expr: string, next = 'after'): JsonObject => ({
  type: 'transform',
  transform: { expr, target: { kind: 'var' }, resultVar: 'value' },
  next,
});
const ends = { end: { type: 'succeed' } };
const task = (kind: string, more: JsonObject, next = 'after'): JsonObject => ({
  type: 'task',
  task: { kind, ...more },
  next,
});
const undo = (mode: string): JsonObject => ({
  compensation: {
    mode,
    start: 'undo',
    states: { undo: call('undo', 'tell'), tell: call('tell', 'end'), ...ends },
  },
});
/** Identity and queue match the stand's configuration. */
const auth = (name: string, kind: string): KillCase => ({
  name: kind,
  states: { step: task(kind, {}, 'keep'), keep: keep(`context.auth.${name} != null`) },
  during: { withinMs: 60 },
  keys: {},
  value: [true],
  // The request exists only in the memory of its gateway: decision 13.
  mayEnd: { code: 'REQUEST_GONE', killed: ['gateway'] },
});

/** Every state type. */
export const stateCases: readonly KillCase[] = [
  {
    name: 'task',
    states: { step: call('step', 'keep'), keep: keep('context.answer.body.ok') },
    during: { held: ['step'] },
    keys: { step: ['$/step#*'] },
    value: [true],
  },
  {
    name: 'choice',
    states: {
      step: {
        type: 'choice',
        choices: [{ when: `${longExpression} == ${longResult}`, next: 'right' }],
        default: 'wrong',
      },
      right: keep('"right"'),
      wrong: keep('"wrong"'),
    },
    during: { withinMs: 600 },
    keys: {},
    value: ['right'],
  },
  {
    name: 'transform',
    states: { step: keep(longExpression) },
    during: { withinMs: 600 },
    keys: {},
    value: [longResult],
  },
  {
    name: 'parallel',
    states: {
      step: {
        type: 'parallel',
        parallel: {
          branches: ['left', 'right'].map((name) => ({
            name,
            start: 'call',
            states: { call: call(name, 'end'), end: { type: 'succeed', outputVar: 'answer' } },
          })),
          join: {
            strategy: 'allOf',
            mapper: { expr: '[branches.left.answer.body.ok, branches.right.answer.body.ok]' },
            resultVar: 'value',
          },
        },
        next: 'after',
      },
    },
    during: { held: ['left', 'right'] },
    keys: { left: ['$/step#*.left/call#*'], right: ['$/step#*.right/call#*'] },
    value: [[true, true]],
  },
  {
    name: 'map',
    states: {
      step: {
        type: 'map',
        map: {
          items: { expr: '[5, 6, 7]' },
          maxConcurrency: 2,
          input: { expr: '{ run: context.run }' },
          start: 'call',
          states: {
            call: call('step', 'end', { body: { value: { expr: 'item' } } }),
            end: { type: 'succeed', output: { expr: 'item' } },
          },
          resultVar: 'value',
        },
        next: 'after',
      },
    },
    during: { held: ['step'] },
    keys: { step: ['$/step#*.0/call#*', '$/step#*.1/call#*', '$/step#*.2/call#*'] },
    value: [[5, 6, 7]],
  },
  {
    name: 'wait',
    states: {
      step: { type: 'wait', wait: { channel: 'manual', input: { schema: { type: 'object' } } }, next: 'kept' },
      kept: call('kept', 'keep'),
      keep: keep('context.payload.n'),
    },
    during: { parked: 'step' },
    submit: { step: 'step', body: { n: 7 } },
    keys: { kept: ['$/kept#*'] },
    value: [7],
  },
  {
    name: 'webhook',
    states: {
      step: { type: 'webhook', webhook: { input: { schema: { type: 'object' } } }, next: 'kept' },
      kept: call('kept', 'keep'),
      keep: keep('context.payload.n'),
    },
    during: { parked: 'step' },
    submit: { step: 'step', body: { n: 8 } },
    keys: { kept: ['$/kept#*'] },
    value: [8],
  },
  {
    name: 'timer',
    states: { step: { type: 'timer', timer: { duration: 'PT3S' }, next: 'keep' }, keep: keep('"over"') },
    during: { parked: 'step' },
    keys: {},
    value: ['over'],
  },
  {
    name: 'subjourney',
    states: {
      step: {
        type: 'subjourney',
        subjourney: { ref: 'inner', input: { expr: '{ run: context.run }' }, resultVar: 'inner' },
        next: 'keep',
      },
      keep: keep('context.inner.body.ok'),
    },
    spec: {
      subjourneys: {
        inner: { start: 'call', states: { call: call('inner', 'end'), end: { type: 'succeed', outputVar: 'answer' } } },
      },
    },
    during: { held: ['inner'] },
    keys: { inner: ['$/step#*.inner/call#*'] },
    value: [true],
  },
  {
    name: 'succeed',
    states: { step: { type: 'succeed', output: { expr: longExpression } } },
    during: { withinMs: 600 },
    follow: null,
    keys: {},
  },
  {
    name: 'fail',
    states: { step: { type: 'fail', errorCode: 'NO_STOCK', reason: { expr: `"lost " ++ (${longExpression})` } } },
    during: { withinMs: 600 },
    follow: null,
    keys: {},
    ends: 'NO_STOCK',
  },
];

/** Every task kind, including plugins. */
export const taskCases: readonly KillCase[] = [
  {
    name: 'httpCall:v1',
    // Never repeated: the response of a call that was lost with its worker is unknown.
    states: { step: call('step', 'keep', { onUncertain: 'fail' }), keep: keep('context.answer.ok') },
    during: { held: ['step'] },
    keys: { step: ['$/step#*'] },
    once: ['step'],
    value: [true, false],
  },
  {
    name: 'schedule:v1',
    states: {
      step: task(
        'schedule:v1',
        {
          start: 'work',
          interval: 'P1D',
          maxRuns: 1,
          subjectId: { expr: 'context.run' },
          context: { expr: '{ run: context.run }' },
        },
        'keep',
      ),
      keep: keep('"planned"'),
      work: call('work', 'end'),
    },
    during: { withinMs: 60 },
    keys: { work: ['?/work#*'] },
    value: ['planned'],
  },
  {
    name: 'unschedule:v1',
    states: {
      first: task(
        'schedule:v1',
        {
          start: 'work',
          interval: 'P1D',
          maxRuns: 2,
          startAt: '2090-01-01T00:00:00Z',
          subjectId: { expr: 'context.run' },
        },
        'before',
      ),
      step: task('unschedule:v1', { start: 'work', subjectId: { expr: 'context.run' }, resultVar: 'stop' }, 'keep'),
      keep: keep('context.stop.stopped'),
      work: call('work', 'end'),
    },
    during: { withinMs: 60 },
    keys: {},
    value: [1],
  },
  {
    name: 'signal:v1',
    states: {
      step: task(
        'signal:v1',
        {
          journey: 'kill-target',
          key: { expr: 'context.run' },
          step: 'paid',
          payload: { expr: '{ run: context.run }' },
          resultVar: 'told',
        },
        'keep',
      ),
      keep: keep('context.told.ok'),
    },
    during: { withinMs: 60 },
    keys: { paid: ['kill-target/@/?/keep#*'] },
    value: [true],
    beside: {
      journey: 'kill-target',
      spec: {
        key: { expr: 'context.run' },
        start: 'paid',
        states: {
          paid: { type: 'wait', wait: { channel: 'manual', input: { schema: { type: 'object' } } }, next: 'which' },
          which: {
            type: 'choice',
            choices: [{ when: 'context.payload.last default false', next: 'end' }],
            default: 'keep',
          },
          keep: call('paid', 'paid'),
          ...ends,
        },
      },
      ended: { last: true },
    },
  },
  {
    name: 'activity:v1',
    states: {
      step: task(
        'activity:v1',
        {
          activity: 'book',
          taskQueue: 'others',
          args: { expr: '[context.run]' },
          timeouts: { startToClose: 'PT60S', scheduleToStart: 'PT60S' },
          resultVar: 'booked',
        },
        'keep',
      ),
      keep: keep('context.booked.value'),
    },
    during: { held: ['book'] },
    keys: { book: ['$/book'] },
    once: ['book'],
    value: ['booked'],
  },
  {
    name: 'workflow:v1',
    states: {
      step: task(
        'workflow:v1',
        { journey: 'kill-child', input: { expr: '{ run: context.run }' }, resultVar: 'child' },
        'keep',
      ),
      keep: keep('context.child.value'),
    },
    during: { held: ['work'] },
    keys: { work: ['kill-child/@/?/work#*'] },
    value: ['worked'],
    child: {
      journey: 'kill-child',
      spec: {
        key: { expr: 'context.run' },
        start: 'work',
        states: { work: call('work', 'end'), end: { type: 'succeed', output: { expr: '"worked"' } } },
      },
    },
  },
  {
    name: 'cache:v1',
    states: {
      step: task('cache:v1', { operation: 'put', key: { expr: 'context.run' }, value: { expr: '"kept"' } }, 'look'),
      look: task('cache:v1', { operation: 'get', key: { expr: 'context.run' }, resultVar: 'found' }, 'keep'),
      keep: keep('context.found'),
    },
    during: { withinMs: 60 },
    keys: {},
    // The memory cache is lost with its worker: a miss.
    value: ['kept', null],
  },
  {
    name: 'kafkaPublish:v1',
    states: {
      step: task(
        'kafkaPublish:v1',
        { topic: 'kill-matrix', key: '${context.run}', value: { expr: '{ run: context.run }' } },
        'keep',
      ),
      keep: keep('"published"'),
    },
    during: { withinMs: 60 },
    keys: { record: ['$/step#*'] },
    value: ['published'],
    kafka: true,
  },
  {
    name: 'xmlDecode:v1',
    input: { xml: `<list>${'<item a="1">text</item>'.repeat(400)}</list>` },
    states: {
      step: task('xmlDecode:v1', { sourceVar: 'xml', target: { kind: 'var' }, resultVar: 'decoded' }, 'keep'),
      keep: keep('sizeOf(context.decoded.list.item)'),
    },
    during: { withinMs: 200 },
    keys: {},
    value: [400],
  },
  auth('jwt', 'jwtValidate:v1'),
  auth('mtls', 'mtlsValidate:v1'),
  auth('apiKey', 'apiKeyValidate:v1'),
  {
    name: 'plugin',
    states: { step: task('book:v1', { run: '${context.run}', resultVar: 'value' }) },
    during: { held: ['plugin'] },
    keys: { plugin: ['$/step#*'] },
    value: ['booked'],
  },
];

/** Operations on a run, and its compensation. */
export const runCases: readonly KillCase[] = [
  {
    name: 'start',
    states: { step: keep('"started"') },
    during: { startMs: 60 },
    keys: {},
    value: ['started'],
  },
  {
    name: 'safe-read',
    states: {
      step: call('step', 'keep', { method: 'GET', body: undefined as never, timeoutMs: 10_000 }),
      keep: keep('context.answer.ok'),
    },
    during: { withinMs: 60 },
    keys: {},
    safe: ['step'],
    value: [true],
  },
  {
    name: 'cancel',
    states: { step: { type: 'timer', timer: { duration: 'P1D' }, next: 'after' } },
    spec: undo('sync'),
    during: { parked: 'step' },
    submit: { cancel: true },
    follow: 'tell',
    keys: { undo: ['$/compensation/undo#*'], tell: ['$/compensation/tell#*'] },
    ends: 'JOURNEY_CANCELLED',
  },
  ...['sync', 'async'].map(
    (mode): KillCase => ({
      name: `compensation-${mode}`,
      states: { step: call('step', 'lost'), lost: { type: 'fail', errorCode: 'NO_STOCK', reason: 'Sold out' } },
      spec: undo(mode),
      gate: 'step',
      during: { held: ['undo'] },
      follow: 'tell',
      keys: {
        step: ['$/step#*'],
        undo: [mode === 'sync' ? '$/compensation/undo#*' : '$-compensation/undo#*'],
        tell: [mode === 'sync' ? '$/compensation/tell#*' : '$-compensation/tell#*'],
      },
      ends: 'NO_STOCK',
    }),
  ),
];

/** All rows. */
export const cases: readonly KillCase[] = [...stateCases, ...taskCases, ...runCases];
