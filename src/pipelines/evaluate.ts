import type { Env, Limits } from '../expressions/expression.js';
import { compileExpression } from '../expressions/index.js';
import type { Json } from '../json/value.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import { type Decision, decide } from './decide.js';
import { handlerOf, type PipelineDefinition } from './definition.js';
import type { Answer, EvaluateEffect, Message, StartEffect } from './message.js';
import type { PipelineState } from './state.js';

/** What expressions of a pipeline need of the host. */
export interface Evaluation {
  env: Omit<Env, 'now'>;
  limits: Limits;
}

/** Does an `evaluate` effect. Pure and bounded; a promise only where the expression's language has nothing else. */
export function evaluateFor(
  definition: PipelineDefinition,
  { run, handler, what, bindings }: EvaluateEffect,
  { env, limits }: Evaluation,
  now: number,
): Message | Promise<Message> {
  const it = handlerOf(definition, handler)!;
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

/** What the host is left with after a step: journeys to start, and the answers to its messages. */
export interface Advance {
  starts: StartEffect[];
  answers: Answer[];
}

/** Takes messages and does every evaluation that follows from them. */
export function advance(
  state: PipelineState,
  messages: readonly Message[],
  now: number,
  evaluation: Evaluation,
): Advance | Promise<Advance> {
  const { effects, answers } = decide(state, messages, now);
  return evaluateAll(state, effects, now, evaluation, { starts: [], answers });
}

function evaluateAll(
  state: PipelineState,
  effects: Decision['effects'],
  now: number,
  evaluation: Evaluation,
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

/** A run has several expressions: which one it was, and what an author can do about a `prepare` that gives too much. */
function named(it: Problem, handler: string, what: EvaluateEffect['what']): Problem {
  const detail = `${what} of ${handler}: ${it.detail ?? it.title}`;
  if (what !== 'prepare' || it.code !== 'DW_MAX_RESULT_SIZE_EXCEEDED') return { ...it, detail };
  return { ...it, detail: `${detail.replace(/\.?$/, '.')} Give { topic, ids } of the events instead of the events.` };
}
