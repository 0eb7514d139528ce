import { type WorkflowExecutionDescription, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type Code, registry } from '../../base/problems/registry.js';
import type { Outcome } from '../../engine/outcome.js';
import { describedView } from './run-views.js';

/** Reads the outcome of a closed run, depending on how it closed. */
export async function runOutcome(handle: WorkflowHandle, description: WorkflowExecutionDescription): Promise<Outcome> {
  switch (description.status.name) {
    case 'COMPLETED':
      return (await handle.result()) as Outcome;
    case 'FAILED':
      return (await failedOutcome(handle)) ?? withoutOutcome(description, 'INTERNAL');
    case 'CANCELLED':
      // A cancelled execution has no result: the run wrote its outcome into its memo before.
      return (
        (description.memo?.outcome as Outcome | undefined) ?? withoutOutcome(description, 'JOURNEY_CANCELLED', 'Cancel')
      );
    case 'TIMED_OUT':
      return withoutOutcome(description, 'RUN_TIMED_OUT', 'Timeout');
    default:
      return withoutOutcome(description, 'RUN_TERMINATED');
  }
}

async function failedOutcome(handle: WorkflowHandle): Promise<Outcome | undefined> {
  try {
    return (await handle.result()) as Outcome;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure)) throw error;
    return cause.details?.[0] as Outcome | undefined;
  }
}

/** The outcome of a run that was terminated, from Temporal's last data. */
function withoutOutcome(
  description: WorkflowExecutionDescription,
  code: Code,
  terminationKind: Outcome['terminationKind'] = 'RuntimeError',
): Outcome {
  const { currentState, tags, attributes } = describedView(description).status;
  return {
    phase: 'FAILED',
    terminationKind,
    output: null,
    error: { code, reason: registry[code].title },
    status: code,
    terminatedAtState: currentState,
    tags,
    attributes,
  };
}
