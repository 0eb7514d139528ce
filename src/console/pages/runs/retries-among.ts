import type { RunItem } from '../../api/run-types.js';

/** The latest retry of each run of a page, by the id of the retried run; the newest runs come first, as in the API. */
export function retriesAmong(runs: readonly RunItem[]): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  for (const { journeyId, attributes } of runs) {
    const of = attributes?.retryOf;
    if (of !== undefined && !latest.has(of)) latest.set(of, journeyId);
  }
  return latest;
}
