import { type WorkflowExecutionDescription, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Outcome } from '../engine/outcome.js';
import { type Code, registry } from '../problems/registry.js';
import { describedView } from './views.js';

/** The outcome of a closed run, from wherever its kind of close keeps it. */
export async function outcomeOf(handle: WorkflowHandle, description: WorkflowExecutionDescription): Promise<Outcome> {
  switch (description.status.name) {
    case 'COMPLETED':
      return (await handle.result()) as Outcome;
    case 'FAILED':
      return (await failedOutcome(handle)) ?? withoutOutcome(description, 'INTERNAL');
    case 'CANCELLED':
      // A Cancelled close carries no details: the run wrote its outcome into its memo first.
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

/** How to show a run that was closed from outside without reporting anything itself: by what Temporal knew of it until then. */
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
