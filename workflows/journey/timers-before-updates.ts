import { CancellationScope, condition } from '@temporalio/workflow';
import { type Problem, problem } from '../../src/base/problems/problem.js';
import { formatInstant } from '../../src/base/time/instant.js';
import type { Run } from '../../src/engine/run.js';
import type { OpenStep } from '../../src/engine/step-submissions.js';

/**
 * Orders updates by the clock. The SDK delivers updates and signals before the timers of the same workflow task, whichever is first
 * in the history. The clock of a run is the start of its task, so everything due by then has fired or fires immediately. Plain signals
 * keep the SDK's order.
 */
export class DueOrder {
  private waiting = 0;

  constructor(private readonly run: Run) {}

  /** Whether no update is waiting for due timers. */
  get idle(): boolean {
    return this.waiting === 0;
  }

  /** The reason why an update is too late for an open step: the step, or the whole run, was due when the workflow task started. */
  refusal(step: OpenStep): Problem | undefined {
    const { deadlineAt } = this.run.position;
    const due = Math.min(step.dueAt ?? Number.POSITIVE_INFINITY, deadlineAt ?? Number.POSITIVE_INFINITY);
    if (due > Date.now()) return undefined;
    return problem(
      'STEP_NOT_ACTIVE',
      `The step '${step.id}' timed out at ${formatInstant(due)}, before this submission.`,
    );
  }

  /** Resolves when everything that is due has happened; undefined if nothing is due. */
  untilTimersFired(): Promise<void> | undefined {
    const now = Date.now();
    return this.run.isDue(now) ? this.wait(now) : undefined;
  }

  private async wait(now: number): Promise<void> {
    this.waiting += 1;
    await CancellationScope.nonCancellable(() => condition(() => !this.run.isDue(now)));
    this.waiting -= 1;
  }
}

/** Resolves when everything this activation can do without waiting is done; costs no history, unlike a timer. */
export function activationSettled(): Promise<void> {
  let asked = false;
  return condition(() => {
    const again = asked;
    asked = true;
    return again;
  });
}
