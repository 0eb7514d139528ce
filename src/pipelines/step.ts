import { type ProblemExtras, problem } from '../problems/problem.js';
import type { Code } from '../problems/registry.js';
import type { Answer, AnswerCode, Effect } from './message.js';
import type { PipelineState } from './state.js';

/** One step of the reducer: the state it changes, the time, and what the host is to do. */
export interface Step {
  readonly state: PipelineState;
  readonly now: number;
  readonly effects: Effect[];
}

export function done(code: AnswerCode, run?: string): Answer {
  return { ok: true, code, ...(run !== undefined && { run }) };
}

export function refused(code: Code, detail: string, extras?: ProblemExtras): Answer {
  return { ok: false, problem: problem(code, detail, extras) };
}
