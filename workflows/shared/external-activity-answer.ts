import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import { hasHugeNumber, isNestedDeeperThan, maxDepth } from '../../src/base/json/depth-and-number-limits.js';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import { copy, isObject, type Json, own } from '../../src/base/json/value.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import type { ExternalAnswer, ExternalError } from '../../src/engine/definition/external-activity-types.js';
import { sizeProblem } from '../../src/engine/payload-limits.js';
import { isReadable } from './check-external-payloads.js';

const longestMessage = 4_000;

/** The answer of an external call that returned `value`. */
export function answerOf(value: unknown): ExternalAnswer {
  const given = (value ?? null) as Json;
  if (!isReadable(given)) return unreadable('Its result is not JSON.');
  if (isNestedDeeperThan(given, maxDepth)) return unreadable(`Its result nests deeper than ${maxDepth} levels.`);
  if (hasHugeNumber(given)) return unreadable('Its result has a number that is too large.');
  return fitting({ ok: true, value: copy(given) });
}

/** The answer of an external call that failed with `cause`. An unsafe call that timed out or was terminated is uncertain. */
export function failedAnswer(cause: Error | undefined, safe: boolean): ExternalAnswer {
  if (cause instanceof WorkflowExecutionAlreadyStartedError) {
    const message = `There is a workflow with the id ${cause.workflowId}.`;
    return { ok: false, error: { type: 'WORKFLOW_ALREADY_STARTED', message } };
  }
  if (cause instanceof TerminatedFailure)
    return {
      ok: false,
      error: { type: 'TERMINATED', message: 'It was terminated.' },
      ...(!safe && { uncertain: true }),
    };
  if (!(cause instanceof TimeoutFailure)) return fitting({ ok: false, error: errorOf(cause) });
  if (cause.timeoutType === 'SCHEDULE_TO_START')
    return { ok: false, error: { type: 'NOT_STARTED', message: 'No worker accepted it in time.' } };
  const message =
    cause.timeoutType === 'HEARTBEAT' ? 'Its worker sent no heartbeat in time.' : 'It did not end in time.';
  return { ok: false, error: { type: 'TIMEOUT', message }, ...(!safe && { uncertain: true }) };
}

/** The answer of a child journey: the output of its outcome, or with the failure what else concerns its caller. */
export function journeyAnswer(answer: ExternalAnswer): ExternalAnswer {
  if (answer.ok) return { ok: true, value: own(answer.value, 'output') ?? null };
  const { details, ...error } = answer.error;
  const [outcome] = Array.isArray(details) ? details : [];
  if (!isObject(outcome)) return answer;
  const told = Object.entries(outcome).filter(([name]) => failureFields.includes(name));
  return { ...answer, error: { ...error, details: Object.fromEntries(told) } };
}

const failureFields = ['status', 'outcomeId', 'uncertain', 'compensation'];

/** A worker may fail its activity with any failure of the protocol. */
function errorOf(cause: Error | undefined): ExternalError {
  const message = (cause?.message ?? '').slice(0, longestMessage);
  if (cause instanceof CancelledFailure) return { type: 'CANCELLED', message, ...detailsOf(cause) };
  if (!(cause instanceof ApplicationFailure)) return { type: 'FAILED', message };
  return { type: cause.type || 'FAILED', message, ...detailsOf(cause), nonRetryable: cause.nonRetryable === true };
}

/** Details that are values a journey can read. */
function detailsOf({ details = [] }: ApplicationFailure | CancelledFailure): { details?: Json } {
  const given = (details ?? []) as Json[];
  if (given.length === 0) return {};
  const isPlain = given.every((it) => isReadable(it) && !isNestedDeeperThan(it, maxDepth) && !hasHugeNumber(it));
  return isPlain ? { details: copy(given) } : {};
}

function unreadable(message: string): ExternalAnswer {
  return { ok: false, error: { type: 'RESULT_UNREADABLE', message } };
}

/** Ends the run with an answer that is too large for it, like any other. */
function fitting(answer: ExternalAnswer): ExternalAnswer {
  const excess = sizeProblem('The answer', jsonBytes(answer as Json), maxPayloadBytes);
  if (excess) throw new ProblemError(excess);
  return answer;
}
