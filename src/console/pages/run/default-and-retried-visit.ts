import type { RunItem, TrailItem, VisitItem } from '../../api/run-types.js';

/** The visit that the page shows until the reader selects one: where the run failed, else the latest. */
export function visitOfInterest(entries: readonly TrailItem[]): VisitItem | undefined {
  const visits = visitsOf(entries);
  const hasFailed = entries.some((it) => it.kind === 'ended' && it.phase === 'FAILED');
  return (hasFailed ? visits.findLast(isFailure) : undefined) ?? visits.at(-1);
}

/**
 * The visit that a retry repeats, by the rule of the gateway: the failed state. A `fail` state only reports an earlier result, so its retry
 * repeats the last task before it.
 */
export function retriedVisit(entries: readonly TrailItem[], error: RunItem['error']): VisitItem | undefined {
  const visits = visitsOf(entries);
  const named = visits.findLast(({ state }) => state === error?.state);
  if (named) return named;
  const failed = visits.findLastIndex(({ outcome }) => outcome === 'failed');
  if (failed === -1) return visits.at(-1);
  const tasks = visits.slice(0, failed).filter(({ calls }) => calls !== undefined);
  const { within } = visits[failed]!;
  return tasks.findLast((it) => it.within === within) ?? tasks.at(-1) ?? visits[0];
}

function visitsOf(entries: readonly TrailItem[]): VisitItem[] {
  return entries.filter((it) => it.kind === 'visit');
}

function isFailure({ outcome, code }: VisitItem): boolean {
  return outcome === 'failed' || (outcome === 'ended' && code !== undefined);
}
