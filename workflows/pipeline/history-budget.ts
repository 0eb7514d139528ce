import { workflowInfo } from '@temporalio/workflow';

/**
 * Budgets of one execution. Above `soft`, or if it is pinned to a worker version that is no longer current, a pipeline continues as new
 * before its next run; above `hard`, at once. `events` is a factor of the configured history length.
 *
 * A replay must fit into one workflow task, ten seconds. It was measured at a quarter of a second of CPU per 1,000 events, at 0.4 s with a
 * `prepare` that reads 400 events, and at 0.4 s for 12,000 events that arrive in large batches. With 2,000 events for `soft` that is less than
 * a second, and about two seconds at `hard`, while a run is active and `prepare` is not evaluated: a quarter of a core suffices.
 */
const budgets = {
  soft: { events: 1, bytes: 4_000_000, updates: 800, signals: 4_000 },
  hard: { events: 3, bytes: 16_000_000, updates: 1_500, signals: 8_000 },
} as const;

/** Counts how much of its budgets an execution has used. */
export class HistoryUsage {
  updates = 0;
  signals = 0;

  exceeds(limit: 'soft' | 'hard', historyEvents: number): boolean {
    const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
    const { events, bytes, updates, signals } = budgets[limit];
    return (
      (limit === 'soft' && (continueAsNewSuggested || targetWorkerDeploymentVersionChanged)) ||
      historyLength >= events * historyEvents ||
      historySize >= bytes ||
      this.updates >= updates ||
      this.signals >= signals
    );
  }
}
