import { type ProblemExtras, problem } from '../base/problems/problem.js';
import type { Code } from '../base/problems/registry.js';
import type { Answer, AnswerCode, PipelineEffect } from './messages-and-effects.js';
import type { PipelineState } from './state.js';

/** One step of the reducer: the state it changes, the time, and effects for the host. */
export interface Step {
  readonly state: PipelineState;
  readonly now: number;
  readonly effects: PipelineEffect[];
}

export function done(code: AnswerCode, run?: string): Answer {
  return { ok: true, code, ...(run !== undefined && { run }) };
}

export function refused(code: Code, detail: string, extras?: ProblemExtras): Answer {
  return { ok: false, problem: problem(code, detail, extras) };
}
