import { workflowInfo } from '@temporalio/workflow';

/**
 * Budgets of one execution. Above `soft`, or if it is pinned to a worker version that is no longer current, a pipeline continues as new
 * before its next run; above `hard`, at once. `events` is a factor of the configured history length.
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
