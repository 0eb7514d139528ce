import { describe } from '../../scheduling/cadence/describe.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import { cadenceOf, isOver } from '../../scheduling/jobs/record.js';
import { isOnGrid, realTimes } from '../schedules/drift.js';
import type { JobSnapshot } from './snapshot.js';

/** The server's clock may be ahead of ours. */
const graceMs = 5_000;
const skip = 1;
const allowAll = 5;

/** How a Schedule will differ from what its job says, in words: somebody changed it with Temporal's tools. */
export function driftOf({ record, next, raw, paused }: JobSnapshot, now: number): string[] {
  if (isOver(record))
    return paused ? [] : [`Temporal has it resumed; its runs end at once, because it is ${record.state}.`];
  const cadence = cadenceOf(record);
  // Temporal shows a repeated hour twice; the second showing runs nothing.
  const times = realTimes(cadence, next);
  const out: string[] = [];
  if (!isOnGrid(cadence, next, record, paused ? undefined : now))
    out.push(`Temporal will start it at ${listed(times)}, not ${describe(cadence)}.`);
  else if (times.length === 0 && nextAfter(cadence, now + graceMs) !== undefined)
    out.push('Temporal knows no further time for it.');
  const { state, policies } = raw.schedule ?? {};
  if (state?.limitedActions) out.push(`Temporal will start it only ${Number(state.remainingActions ?? 0)} more times.`);
  // The server takes zero for skip.
  const overlap = (policies?.overlapPolicy ?? 0) || skip;
  if (overlap !== (record.allowOverlap ? allowAll : skip))
    out.push(
      `Temporal ${overlap === allowAll ? 'lets its runs overlap' : 'treats runs that would overlap differently'}.`,
    );
  return out;
}

function listed(times: readonly number[]): string {
  return times
    .slice(0, 3)
    .map((time) => new Date(time).toISOString())
    .join(', ');
}
