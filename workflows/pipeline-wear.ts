import { workflowInfo } from '@temporalio/workflow';

/**
 * Above the first of each, a pipeline goes on as a fresh execution before its next run; above the second, at once. How long a history may
 * become is configured.
 */
const wear = {
  events: [1, 3],
  bytes: [4_000_000, 16_000_000],
  updates: [800, 1_500],
  signals: [4_000, 8_000],
} as const;

/** How much an execution has been used. */
export class Wear {
  updates = 0;
  signals = 0;

  isWorn(level: 0 | 1, historyEvents: number): boolean {
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
    return (
      (level === 0 && continueAsNewSuggested) ||
      historyLength >= wear.events[level] * historyEvents ||
      historySize >= wear.bytes[level] ||
      this.updates >= wear.updates[level] ||
      this.signals >= wear.signals[level]
    );
  }
}
