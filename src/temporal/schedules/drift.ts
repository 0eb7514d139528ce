import { isOn } from '../../scheduling/bindings/occurrences.js';
import { cadenceOf, isExhausted } from '../../scheduling/bindings/record.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { isCoalescedSlot } from '../../scheduling/cadence/coalesced.js';
import { describe } from '../../scheduling/cadence/describe.js';
import { countBetween, nextAfter } from '../../scheduling/cadence/occurrences.js';
import { runsLeft, type Snapshot } from './snapshot.js';

/** The server's clock may be ahead of ours, and the run of a time that has just come is on its way. */
const graceMs = 5_000;
const shown = 3;

/** How a Schedule will differ from what its binding says, in words: somebody changed it with Temporal's tools. */
export function driftOf(snapshot: Snapshot, now: number): string[] {
  const { record, next, raw, paused, running, buffered } = snapshot;
  if (isExhausted(record)) return [];
  const cadence = cadenceOf(record);
  const out: string[] = [];
  if (!isOnGrid(cadence, next, record, paused ? undefined : now))
    out.push(`Temporal will start it at ${listed(next)}, not ${describe(cadence)}.`);
  const { state, policies } = raw.schedule ?? {};
  const idle = running.length === 0 && buffered === 0;
  if (!state?.limitedActions) out.push(`Temporal knows of no bound; it has ${runsLeft(snapshot)} runs left.`);
  else if (idle && Number(state.remainingActions ?? 0) === 0)
    out.push(`Temporal will start no further run; it has ${runsLeft(snapshot)} left.`);
  else if (next.length === 0 && idle && nextAfter(cadence, now + graceMs) !== undefined)
    out.push('Temporal knows no further time for it.');
  // The server takes zero for skip.
  if ((policies?.overlapPolicy ?? 0) > 1) out.push('Temporal lets its runs overlap or wait for each other.');
  return out;
}

/** The coming times of a Schedule at which a run will do something: where clocks go back, Temporal starts one that will not. */
export function realTimes(cadence: Cadence, next: readonly number[]): number[] {
  return next.filter((time) => isOn(cadence, time) || !isCoalescedSlot(cadence, time));
}

/**
 * Whether these are the coming times of a cadence, with none in between left out. Without `now` they may begin anywhere. What lies beyond
 * the times that were written out does not count: it will be right once they are extended.
 */
export function isOnGrid(
  cadence: Cadence,
  planned: readonly number[],
  { writtenUntil }: { writtenUntil?: string },
  now?: number,
): boolean {
  const end = writtenUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(writtenUntil);
  const next = realTimes(
    cadence,
    planned.filter((time) => time <= end),
  );
  const [first, last] = [next[0], next.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (!next.every((time) => isOn(cadence, time))) return false;
  if (countBetween(cadence, first - 1, last) !== next.length) return false;
  return now === undefined || first <= (nextAfter(cadence, now + graceMs) ?? first);
}

function listed(times: readonly number[]): string {
  return times
    .slice(0, shown)
    .map((time) => new Date(time).toISOString())
    .join(', ');
}
