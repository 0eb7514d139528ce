import type { Json } from '../base/json/value.js';
import { type Problem, ProblemError } from '../base/problems/problem.js';
import type { Env, Limits } from '../expressions/expression-engine-interface.js';
import { compileExpression } from '../expressions/index.js';
import { handlerOf, type PipelineDefinition } from './definition.js';
import type { Answer, EvaluateEffect, Message, StartEffect } from './messages-and-effects.js';
import { type Decision, decide } from './reducer.js';
import type { PipelineState } from './state.js';

/** Environment and limits for the expressions of a pipeline. */
export interface EvaluationOptions {
  env: Omit<Env, 'now'>;
  limits: Limits;
}

/** Performs an `evaluate` effect. Pure and bounded; returns a promise only if the expression's language requires it. */
export function evaluateFor(
  definition: PipelineDefinition,
  { run, handler, what, bindings }: EvaluateEffect,
  { env, limits }: EvaluationOptions,
  now: number,
): Message | Promise<Message> {
  const it = handlerOf(definition, handler)!;
  const options = { env, limits };
  if (what === 'correlate') return keysOf(definition, { run, handler, bindings }, options, now);
  const expression = what === 'input' ? it.input! : 'prepare' in it ? it.prepare! : undefined;
  const failed = (error: unknown): Message => {
    if (!(error instanceof ProblemError)) throw error;
    return { type: 'evaluated', run, problem: named(error.problem, handler, what) };
  };
  try {
    const compiled = compileExpression(expression!, { kind: 'mapper', bindings: Object.keys(bindings) });
    const value = compiled.evaluate(bindings, { ...env, now }, limits);
    const given = (it: Json): Message => ({ type: 'evaluated', run, value: it });
    return value instanceof Promise ? value.then(given, failed) : given(value);
  } catch (error) {
    return failed(error);
  }
}

/** Evaluates the keys of events: by topic, pairs of an event's id and its key. */
function keysOf(
  { topics }: PipelineDefinition,
  { run, handler, bindings }: Pick<EvaluateEffect, 'run' | 'handler' | 'bindings'>,
  { env, limits }: EvaluationOptions,
  now: number,
): Message | Promise<Message> {
  let topic = '';
  const failed = (error: unknown): Message => {
    if (!(error instanceof ProblemError)) throw error;
    return { type: 'evaluated', run, problem: named(error.problem, handler, 'correlate', topic) };
  };
  const pending: Promise<void>[] = [];
  const keys: Record<string, Json[]> = {};
  try {
    for ([topic] of Object.entries(bindings)) {
      const compiled = compileExpression(topics[topic]!.correlate!, { kind: 'mapper', bindings: ['event'] });
      const found: Json[] = [];
      keys[topic] = found;
      for (const event of bindings[topic] as { id: string }[]) {
        const value = compiled.evaluate({ event }, { ...env, now }, limits);
        if (value instanceof Promise) pending.push(value.then((key) => void found.push([event.id, key])));
        else found.push([event.id, value]);
      }
    }
  } catch (error) {
    return failed(error);
  }
  const message: Message = { type: 'evaluated', run, value: keys };
  return pending.length > 0 ? Promise.all(pending).then(() => message, failed) : message;
}

/** Result of `advance`: journeys to start, and the answers to the messages. */
export interface Advance {
  starts: StartEffect[];
  answers: Answer[];
}

/** Handles messages and performs all evaluations that follow from them. */
export function advance(
  state: PipelineState,
  messages: readonly Message[],
  now: number,
  evaluation: EvaluationOptions,
): Advance | Promise<Advance> {
  const { effects, answers } = decide(state, messages, now);
  return evaluateAll(state, effects, now, evaluation, { starts: [], answers });
}

function evaluateAll(
  state: PipelineState,
  effects: Decision['effects'],
  now: number,
  evaluation: EvaluationOptions,
  so: Advance,
): Advance | Promise<Advance> {
  let open = effects;
  while (open.length > 0) {
    const [effect, ...rest] = open as [Decision['effects'][number], ...Decision['effects']];
    if (effect.type === 'start') {
      so.starts.push(effect);
      open = rest;
      continue;
    }
    const message = evaluateFor(state.definition, effect, evaluation, now);
    if (message instanceof Promise)
      return message.then((it) =>
        evaluateAll(state, [...rest, ...decide(state, [it], now).effects], now, evaluation, so),
      );
    open = [...rest, ...decide(state, [message], now).effects];
  }
  return so;
}

/** Hint for a `prepare` that exceeds a limit. */
const prepareHints: Record<string, string> = {
  DW_MAX_RESULT_SIZE_EXCEEDED: 'Give { topic, ids } of the events instead of the events.',
  DW_MAX_EVAL_TIME_EXCEEDED:
    'If it compares each event with each other one, replace it by correlate: { by: … } of the topics, which is indexed; otherwise lower policy.window.',
};

/** The problem with the name of its expression, and with a hint if `prepare` exceeded a limit. */
function named(it: Problem, handler: string, what: EvaluateEffect['what'], topic?: string): Problem {
  const name = topic === undefined ? `${what} of ${handler}` : `correlate.by of the topic ${topic}`;
  const detail = `${name}: ${it.detail ?? it.title}`;
  const hint = what === 'prepare' && Object.hasOwn(prepareHints, it.code) ? prepareHints[it.code] : undefined;
  return { ...it, detail: hint === undefined ? detail : `${detail.replace(/\.?$/, '.')} ${hint}` };
}
