import type { Json, JsonObject } from '../json/value.js';
import type { Problem } from '../problems/problem.js';

export type Phase = 'SUCCEEDED' | 'FAILED';
export type TerminationKind = 'Success' | 'Fail' | 'Timeout' | 'Cancel' | 'RuntimeError';

export interface JourneyError {
  code: string;
  reason: string;
  [member: string]: Json;
}

/** How a graph ended: the whole journey, a branch or a subjourney. */
export interface End {
  phase: Phase;
  terminationKind: TerminationKind;
  output: Json;
  error: JourneyError | null;
  /** The final context; what a join merges and what a scheduled run hands on. */
  context: JsonObject;
}

/** How a run ended, as it is stored and shown. */
export interface Outcome extends Omit<End, 'context'> {
  /** The business status: `output.status` where there is one. */
  status: string;
  /** The top-level state the run ended in. */
  terminatedAtState: string;
  outcomeId?: string;
  tags: string[];
  attributes: JsonObject;
  /** Fields that `spec.output.response` adds when the outcome is shown. */
  projection?: JsonObject;
  /** The run did not succeed, and one of its unsafe calls ended so that nobody knows whether it happened. Only handlers of pipelines say it. */
  uncertain?: true;
  /** How its compensation went, or which run it is. */
  compensation?: Compensation;
  /** What of its cookie jar returns to the caller. */
  cookies?: OutcomeCookies;
}

/** A jar as it was at the end, sealed, and which of its cookies return; all of them unless `include` is there. */
export interface OutcomeCookies {
  domains: string[];
  changes: string[];
  include?: { names: string[]; namePatterns: string[] };
}

/** A compensation as the outcome tells it: one inside the run has ended before, the other is a run of its own. */
export type Compensation = { mode: 'sync'; phase: Phase; error?: JourneyError } | { mode: 'async'; journeyId: string };

export const internalError = 'urn:journeyforge:error:internal';

export function success(output: Json, context: JsonObject): End {
  return { phase: 'SUCCEEDED', terminationKind: 'Success', output, error: null, context };
}

export function failure(kind: Exclude<TerminationKind, 'Success'>, error: JourneyError, context: JsonObject): End {
  return { phase: 'FAILED', terminationKind: kind, output: null, error, context };
}

/** What nobody meant to happen: an expression that failed, a scheduled run at a step. */
const internalCauses = /^(DW|JSONATA|PREDICATE)_|^(SCHED_PATH_INTERACTIVE|PLUGIN_CRASHED)$/;

/**
 * The end of a graph in which a state could not do its work. What must not happen in a journey is an internal error with the
 * problem's code as its cause; every other problem is an error under its name.
 */
export function runtimeFailure(problem: Problem, state: string, context: JsonObject): End {
  const internal = internalCauses.test(problem.code);
  const error: JourneyError = {
    code: internal ? internalError : problem.code,
    reason: problem.detail ?? problem.title,
    state,
  };
  if (internal) error.cause = problem.code;
  // One that the language fixes; ours follow from the code.
  if (!problem.type.startsWith('urn:journeyman:')) error.type = problem.type;
  for (const key of ['line', 'column', 'pointer', 'hint'] as const) {
    const value = problem[key];
    if (typeof value === 'string' || typeof value === 'number') error[key] = value;
  }
  return failure('RuntimeError', error, context);
}

/** The business status of an end: `output.status`, else the phase or the error's code. */
export function statusOf(end: End): string {
  const output = end.output;
  if (typeof output === 'object' && output !== null && !Array.isArray(output) && Object.hasOwn(output, 'status')) {
    const status = output.status;
    if (typeof status === 'string' && status !== '') return status;
    if (typeof status === 'number' || typeof status === 'boolean') return String(status);
  }
  return end.error?.code ?? end.phase;
}

/** What a caller sees of how a branch or a subjourney ended. */
export function miniOutcome(end: End): Json {
  return { phase: end.phase, terminationKind: end.terminationKind, output: end.output, error: end.error };
}
