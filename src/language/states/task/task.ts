import { didYouMean } from '../../../base/document/did-you-mean.js';
import type { Place } from '../../../base/document/placed-value.js';
import { describeType, ifDefined, quoteName } from '../../../base/document/read-fields.js';
import { listOf, part, shape } from '../../../base/document/schema-builders.js';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { ProblemError, problem, refuse } from '../../../base/problems/problem.js';
import type { Task } from '../../../engine/definition/definition.js';
import type { Frame } from '../../../engine/frame.js';
import { AttemptLost, type Effect, Interrupted, type Scope } from '../../../engine/host.js';
import { checkedSize } from '../../../engine/payload-limits.js';
import type { Run } from '../../../engine/run.js';
import type { Step } from '../../../engine/runner-interfaces.js';
import { type TaskEffect, TaskHost } from '../../../engine/task-host.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { namedReader } from '../../read/document-reading-state.js';
import { nextOf, stateRef } from '../../read/read-state-references.js';
import { behaviourOf } from '../../tasks/registry.js';
import { blockOf, fieldsOf, migratesFreely, next, noGraphs, type StateType, stateSchema } from '../state-type.js';
import { type Poll, polledShape, pollSchema, readPoll, repeat, scalePoll } from './task-poll-option.js';

/** An entry of `onError`: the state to continue with after these failures; after any failure without `on`. */
interface ErrorEntry {
  on?: string[];
  next: string;
}

const httpWord = /^HTTP_[3-5](?:XX|\d\d)$/;

/** JSON Schema of `onError`. */
const onErrorSchema = {
  description:
    'The state to continue with if the result of the task is not ok; by kind of failure as a list, whose first match decides. An extension, refused by --strict.',
  oneOf: [
    part('stateId'),
    listOf(
      'Entries, tried in this order.',
      shape(
        'An entry.',
        {
          on: listOf(
            'Failures: HTTP_404 (a status), HTTP_4XX (a class), TIMEOUT, NETWORK, or the code of the error. All others when left out.',
            { type: 'string', minLength: 1 },
            { minItems: 1 },
          ),
          next,
        },
        ['next'],
      ),
      { minItems: 1 },
    ),
  ],
  examples: ['refused', [{ on: ['HTTP_4XX'], next: 'refused' }, { next: 'later' }]],
};

/** A task, as normalised by its kind. */
export interface TaskState {
  type: 'task';
  task: Task;
  poll?: Poll;
  next: string;
  /** Entries for results that are not ok; without it, `next` follows. */
  onError?: ErrorEntry[];
}

/** JSON Schema of `task`; each task kind has its own schema of the block. */
const schema = stateSchema(
  'task',
  'Runs a task once, or with poll several times, then continues.',
  { task: part('task'), poll: pollSchema, next, onError: onErrorSchema },
  ['task', 'next'],
  [
    {
      task: {
        kind: 'httpCall:v1',
        method: 'GET',
        url: 'https://shop.example.com/orders/${context.orderId}',
        resultVar: 'order',
      },
      next: 'done',
      onError: 'unknown',
    },
    {
      task: {
        kind: 'httpCall:v1',
        method: 'GET',
        url: 'https://reports.example.com/${context.reportId}',
        resultVar: 'report',
      },
      poll: { until: { lang: 'dataweave', expr: 'result.body.state == "READY"' }, every: 'PT10S', max: 20 },
      next: 'done',
    },
  ],
);

/** Runs a task of one of the task kinds. */
export const task: StateType<TaskState> = {
  type: 'task',
  isExtension: false,
  impliedBy: ['task'],
  schema,
  read,
  execute,
  instant: false,
  exits: ({ next, onError = [] }) => [
    { to: next },
    ...onError.map(({ on = [], next: to }, i) => ({ to, at: ['onError', i], failures: on })),
  ],
  awaits: ({ task, poll }) => ({ task, ...(poll && { rounds: poll.max }) }),
  caption: ({ task, poll }) =>
    `${behaviourOf(task).caption(task)}${poll ? `, every ${poll.every} until ${poll.until.expr}` : ''}`,
  inner: noGraphs,
  data: {
    reads: ({ task }) => behaviourOf(task).data.reads(task),
    writes: ({ task }) => behaviourOf(task).data.writes(task),
    after({ task, poll }, context, flow) {
      const after = behaviourOf(task).data.after(task, context, flow);
      return poll ? polledShape(task, after, flow) : after;
    },
  },
  scale: (state, scale) => ({
    ...state,
    task: behaviourOf(state.task).scale(state.task, scale),
    ...(state.poll && { poll: scalePoll(state.poll, scale) }),
  }),
  compare: ({ task: before }, { task: after }, id) => {
    if (before.onUncertain === after.onUncertain) return [];
    const verb = after.onUncertain === 'fail' ? 'is not made again now' : 'is made again now';
    return [{ breaking: false, message: `A call of '${id}' that may have taken effect ${verb}.` }];
  },
  migrate: migratesFreely,
};

const form = { type: 'task', schema };

/** Reads a `task` through the reader of its kind. */
function read(state: Place, within: GraphReading): TaskState | undefined {
  const kinds = within.reading.words.tasks;
  const next = nextOf(state, within);
  const kind = state.at('task').at('kind');
  const found = namedReader(state.at('task'), 'kind', kinds);
  if (found) {
    const block = blockOf(state, form, ['cookies', ...fieldsOf(found.schema), ...(found.refuses ?? [])]);
    if (block?.has('cookies') && !fieldsOf(found.schema).includes('cookies'))
      block.at('cookies').error('COOKIES_NON_HTTP', `${found.kind} has no cookies.`, 'Remove the field.', 'key');
    const task = block && found.read(block, within);
    const poll = readPoll(state.at('poll'), task, within);
    const onError = task && readOnError(state.at('onError'), within, failuresOf(task, poll));
    if (onError) noteChoice(state, task.resultVar, onError, next);
    return task && { type: 'task', task, ...ifDefined('poll', poll), next, ...ifDefined('onError', onError) };
  }
  if (!state.at('task').object) {
    blockOf(state, form, ['kind']);
    return undefined;
  }
  const wellFormed = typeof kind.value === 'string' && /^[A-Za-z][A-Za-z0-9_-]*:v[1-9][0-9]*$/.test(kind.value);
  const at = kind.value === undefined ? state.at('task') : kind;
  const hint = didYouMean(kind.value, kinds.keys());
  if (wellFormed) at.error('TASK_KIND_UNKNOWN', `There is no task kind ${quoteName(kind.value)}.`, hint);
  else
    at.error('TASK_KIND_FORMAT', `task.kind must look like httpCall:v1, not ${describeType(kind.value)}.`, hint, 'key');
  return undefined;
}

/** The failures of a task's result; undefined without a result that has `ok`. */
function failuresOf(task: Task, poll: Poll | undefined): readonly string[] | undefined {
  const failures = behaviourOf(task).failures(task);
  return failures && (poll ? [...failures, 'POLL_EXHAUSTED'] : failures);
}

/** Runs the task, once or as its poll says. Avoids needless promises, which are expensive in the workflow sandbox. */
function execute(state: TaskState, frame: Frame, scope: Scope, run: Run): Step | Promise<Step> {
  const { task, poll } = state;
  const done = poll
    ? repeat(poll, task.resultVar!, frame, scope, run, (round) => once(state, frame, scope, run, round))
    : once(state, frame, scope, run);
  const step = () => stepOfResult(state, own(frame.context, task.resultVar ?? '') ?? null);
  return done instanceof Promise ? done.then(step) : step();
}

/** Runs one task through its kind. */
function once(state: TaskState, frame: Frame, scope: Scope, run: Run, round?: number): void | Promise<void> {
  const runner = run.vocabulary.tasks.get(state.task.kind)?.run;
  if (!runner) throw new Error(`nothing here runs the task kind ${state.task.kind}`);
  const host = new TaskHost(frame, run, round);
  if ('compute' in runner) return runner.compute(state.task, host);
  const taken = (answer: Json): void | Promise<void> => {
    run.parking.effectEnded(frame);
    return runner.handleResult?.(state.task, answer, host);
  };
  const failed = (error: unknown): never => {
    run.parking.effectEnded(frame);
    if (error instanceof ProblemError) runner.failed?.(state.task, error.problem, host);
    throw error;
  };
  const perform = (effect: TaskEffect) =>
    new Attempts(state.task, effect, frame, scope, run, host).first().then(taken, failed);
  const asked = runner.buildRequest(state.task, host);
  if ('answer' in asked) return runner.handleResult?.(state.task, asked.answer, host);
  return asked instanceof Promise ? asked.then(perform) : perform(asked);
}

/** Reads `onError`. `failures` are the words that the task's results can have; undefined for a task whose result has no `ok`. */
function readOnError(
  place: Place,
  within: GraphReading,
  failures: readonly string[] | undefined,
): ErrorEntry[] | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat) place.error('ON_ERROR_EXTENSION', 'The language has no onError.', undefined, 'key');
  if (!failures) place.error('ON_ERROR_RESULT', 'The task keeps no result with ok.', undefined, 'key');
  if (typeof place.value === 'string') return [{ next: stateRef(place, within) }];
  if (!Array.isArray(place.value) || place.value.length === 0) {
    place.error('ON_ERROR', `onError must be a state id or a list of entries, not ${describeType(place.value)}.`);
    return undefined;
  }
  const entries = place.items().flatMap((item) => readEntry(item, within, failures ?? []) ?? []);
  if (entries.length === place.value.length) checkOrder(place, entries);
  return entries;
}

function readEntry(item: Place, within: GraphReading, failures: readonly string[]): ErrorEntry | undefined {
  if (!item.object) {
    item.error('ON_ERROR', `An entry must be an object with on and next, not ${describeType(item.value)}.`);
    return undefined;
  }
  item.only(['on', 'next']);
  if (!item.has('next')) within.broken = true;
  const next = item.has('next') ? stateRef(item.at('next'), within) : '';
  if (!item.has('next')) item.error('NEXT_MISSING', 'The entry has no next.');
  if (!item.has('on')) return { next };
  const on = item.at('on');
  if (!Array.isArray(on.value) || on.value.length === 0) {
    on.error(
      'ON_ERROR',
      `on must be a list of failures, not ${Array.isArray(on.value) ? 'an empty one' : describeType(on.value)}.`,
      'Write on: [HTTP_4XX, TIMEOUT].',
    );
    return undefined;
  }
  for (const word of on.items()) checkWord(word, failures);
  return { on: on.value.map(String), next };
}

function checkWord(place: Place, failures: readonly string[]): void {
  const { value } = place;
  const isStatus = typeof value === 'string' && httpWord.test(value) && failures.includes('HTTP_4XX');
  const isOwn = typeof value === 'string' && value !== '' && failures.includes('*');
  if (failures.length === 0 || isStatus || isOwn || (typeof value === 'string' && failures.includes(value))) return;
  const meant = /^[3-5]\d\d$/.test(String(value)) ? `Write HTTP_${value}.` : didYouMean(value, failures);
  place.error(
    'ON_ERROR',
    `${describeType(value)} is not a failure of this task.`,
    meant ?? `Known: ${failures.join(', ')}.`,
  );
}

/** Warns about entries that an earlier one hides, and about a list without an entry for all other failures. */
function checkOrder(place: Place, entries: readonly ErrorEntry[]): void {
  const seen = new Set<string>();
  let rest: number | undefined;
  for (const [i, { on }] of entries.entries()) {
    const hidden = on?.every((word) => seen.has(word) || seen.has(word.replace(/^(HTTP_\d)\d\d$/, '$1XX')));
    if (rest !== undefined)
      dead(i, `Entry ${rest + 1} has no on and matches every failure, so entry ${i + 1} never does.`);
    else if (hidden) dead(i, `Earlier entries match every failure of entry ${i + 1}.`);
    for (const word of on ?? []) seen.add(word);
    if (!on) rest ??= i;
  }
  if (rest === undefined)
    place.warn('ON_ERROR_NO_DEFAULT', 'After a failure that no entry names, the run fails.', undefined, 'key');

  function dead(i: number, why: string): void {
    place.at(i).warn('ON_ERROR_DEAD', why, undefined, 'key');
  }
}

/** Notes `onError` in the language's own form, a choice after the task. A list that does not cover all failures has none. */
function noteChoice(state: Place, resultVar: string | undefined, entries: readonly ErrorEntry[], next: string): void {
  if (resultVar === undefined || entries.at(-1)?.on) return;
  const result = `context.${resultVar}`;
  const choices = entries.map(({ on, next: to }) => {
    const failed = `${result}.ok == false`;
    const expr = on ? `${failed} and (${on.map((word) => testOf(word, result)).join(' or ')})` : failed;
    return { when: { predicate: { lang: 'dataweave', expr } }, next: to };
  });
  state.report.forms?.twoStates.push({
    pointer: state.pointer,
    rename: { onError: null },
    set: {},
    second: { type: 'choice', choices, default: next },
  });
}

/** The test of a result for a word of `onError`. */
function testOf(word: string, result: string): string {
  if (/^HTTP_\dXX$/.test(word)) return `floor((${result}.status default 0) / 100) == ${word[5]}`;
  if (httpWord.test(word)) return `${result}.status == ${word.slice(5)}`;
  return `${result}.error."type" == "${word}" or ${result}.error.code == "${word}"`;
}

/** The step after a task: its `next`, or the entry of `onError` for a result that is not ok. */
function stepOfResult(state: { next: string; onError?: ErrorEntry[] }, answer: Json): Step {
  const { onError } = state;
  if (!onError || !isObject(answer) || answer.ok !== false) return { next: state.next };
  const words = failureWords(answer);
  const entry = onError.find(({ on }) => !on || on.some((word) => words.includes(word)));
  if (entry) return { next: entry.next };
  return refuse('ON_ERROR_NO_MATCH', `The task ended with ${words.join(', ')}, and onError has no entry for it.`);
}

/** The words of `onError` for a result that is not ok: the error's type and code, the status and its class. */
function failureWords({ error, status }: { [name: string]: Json }): string[] {
  const named = isObject(error) ? [error.type, error.code].filter((it) => typeof it === 'string') : [];
  return typeof status === 'number' ? [...named, `HTTP_${status}`, `HTTP_${Math.floor(status / 100)}XX`] : named;
}

const lostWorker = 'the worker that did it was lost';

/** The attempts at one effect. No further one is made once the scope is interrupted. */
class Attempts {
  constructor(
    private readonly task: Task,
    private readonly asked: TaskEffect,
    private readonly frame: Frame,
    private readonly scope: Scope,
    private readonly run: Run,
    private readonly host: TaskHost,
  ) {}

  /** The first attempt; a safe effect has only what is left of the run's time. */
  first(): Promise<Json> {
    const { about, lost: _, ...effect } = this.asked;
    const { frame, run, scope } = this;
    run.asks(frame);
    const bytes = checkedSize('The request', effect.input, run.host.maxPayloadBytes);
    run.parking.effectStarted();
    const remaining = run.remainingMs();
    // Its request may have been computed while the scope was interrupted: nothing has an effect then.
    if (remaining <= 0 || scope.interruption) return scope.interrupted;
    if (!effect.safe) frame.acted = true;
    this.host.about = about ?? effect.name;
    const alone = run.parking.isAlone(frame) && remaining > 30_000;
    const budgetMs = effect.safe ? Math.min(effect.budgetMs, remaining) : effect.budgetMs;
    const label = about === undefined ? frame.at : `${frame.at} · ${about}`;
    return this.attempt({ ...effect, label, alone, budgetMs, ...(bytes !== undefined && { bytes }) });
  }

  private attempt(effect: Effect): Promise<Json> {
    return this.scope.perform(effect).then(
      (answer) => this.answered(effect, answer),
      (error) => this.rejected(effect, error),
    );
  }

  /** An answer with `retryLater` asks for another attempt. */
  private answered(effect: Effect, answer: Json): Json | Promise<Json> {
    if (this.isEarlyForDeadline) return this.scope.interrupted.catch(() => this.answered(effect, answer));
    const { interruption } = this.scope;
    if (interruption && effect.safe) throw new Interrupted(interruption);
    const later = isObject(answer) ? answer.retryLater : undefined;
    return isObject(later) ? this.retry(effect, later) : answer;
  }

  private rejected(effect: Effect, error: unknown): Promise<Json> {
    if (error instanceof Interrupted && effect.unawaited) this.host.noteUncertain('It was not awaited.');
    if (error instanceof AttemptLost) return this.lost(effect);
    if (error instanceof ProblemError && this.isEarlyForDeadline)
      return this.scope.interrupted.catch((interrupted) => {
        throw effect.safe ? interrupted : error;
      });
    return Promise.reject(error);
  }

  /** The run's time is over, and the interruption has not arrived yet. */
  private get isEarlyForDeadline(): boolean {
    return this.run.remainingMs() <= 0 && !this.scope.interruption;
  }

  /** Waits as the answer asks, then tries again. Without a further attempt, the answer of the last one counts. */
  private async retry(effect: Effect, { afterMs, attempt, budgetMs, answer }: JsonObject): Promise<Json> {
    const { scope, run } = this;
    try {
      if (Number(afterMs) > 0) await scope.sleepUntil(run.host.now() + Number(afterMs), `${effect.label} retry`);
      if (scope.interruption) throw new Interrupted(scope.interruption);
    } catch (error) {
      if (answer === undefined || !(error instanceof Interrupted)) throw error;
      return answer;
    }
    const isUncertain = isObject(answer) && answer.uncertain === true;
    const input = {
      ...(effect.input as JsonObject),
      ...(attempt !== undefined && { attempt }),
      ...(isUncertain && { uncertain: true }),
    };
    return await this.attempt({
      ...effect,
      input,
      run: 'activity',
      ...(typeof budgetMs === 'number' && { budgetMs }),
    });
  }

  /** The effect is asked for again, unless the run or the task does not want that. */
  private async lost(effect: Effect): Promise<Json> {
    const { task, asked, scope, host, frame } = this;
    const { about = 'The task' } = asked;
    if (!scope.interruption && task.onUncertain !== 'fail') {
      host.noteUncertain(lostWorker, 'REPEATED');
      host.note(
        `The worker that did \`${frame.at}\` (${about}) was lost; it was done again with the same idempotency key.`,
      );
      return await this.attempt({ ...effect, run: 'activity' });
    }
    host.noteUncertain(lostWorker, 'LOST');
    if (asked.lost !== undefined) return asked.lost;
    throw new ProblemError(
      problem('TASK_FAILED', `${about}: the worker that did it was lost, and nobody knows how it ended.`),
    );
  }
}
