import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { refuse } from '../../problems/problem.js';
import { isOn } from '../../scheduling/bindings/occurrences.js';
import type { BeforeRun } from '../../scheduling/bindings/record.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { isCoalescedSlot } from '../../scheduling/cadence/coalesced.js';
import { asProblem, isNotFound } from '../failures.js';
import { encodeScheduleOverlapPolicy, msNumberToTs } from '../sdk.js';
import type { Action, Broken } from './snapshot.js';

/** What to do while a run is active: drop the new one, or let it wait until the active one ends. */
type WhileActive = 'skip' | 'wait';

const patienceMs = 10_000;
const askAgainMs = 1_000;

/**
 * Starts a run outside the cadence, once per nominal time, and returns the Schedule that shows the result. A trigger returns nothing, and
 * when two requests reach the server together it loses the first: so the Schedule is watched, and asked again.
 */
export async function trigger<S extends Broken>(
  client: Client,
  scheduleId: string,
  whileActive: WhileActive,
  before: BeforeRun,
  describe: () => Promise<S>,
): Promise<S> {
  const { namespace, identity } = client.options;
  const patch = startPatch(whileActive, before.nominal);
  const end = Date.now() + patienceMs;
  for (let asked = 0; Date.now() < end; await sleep(25)) {
    const snapshot = await describe();
    if (shows(snapshot, before, whileActive)) return snapshot;
    if (Date.now() - asked < askAgainMs) continue;
    asked = Date.now();
    await client.workflowService
      .patchSchedule({ namespace, identity, requestId: randomUUID(), scheduleId, patch })
      .catch((error) => {
        // It was deleted: the next description says so.
        if (!isNotFound(error)) throw asProblem(error);
      });
  }
  return refuse('SCHEDULE_BUSY', `${scheduleId} did not start a run within ${patienceMs / 1000} s.`);
}

/** It was started, waits, or was skipped. */
function shows({ recent, buffered, overlapSkipped }: Broken, before: BeforeRun, whileActive: WhileActive): boolean {
  return (
    recent.some(({ nominal }) => nominal === before.nominal) ||
    (whileActive === 'wait' && buffered > 0) ||
    overlapSkipped > before.overlapSkipped
  );
}

/** What makes a Schedule start a run now. */
export function startPatch(whileActive: WhileActive, nominal: number) {
  const overlap = whileActive === 'skip' ? ScheduleOverlapPolicy.SKIP : ScheduleOverlapPolicy.BUFFER_ONE;
  return {
    triggerImmediately: {
      overlapPolicy: encodeScheduleOverlapPolicy(overlap)!,
      scheduledTime: msNumberToTs(nominal),
    },
  };
}

/**
 * The time of a run that starts outside the grid: now. But a run's id holds it in whole seconds. If a run of the grid is due in this
 * second, or another run had it, they would share an id; then it is a second earlier. Times up to `through` have been dealt with.
 */
export function nominalTime(
  cadence: Cadence,
  through: number,
  now: number,
  recent: readonly Pick<Action, 'nominal'>[] = [],
): number {
  const isTaken = (second: number) =>
    (second > through && isOn(cadence, second) && !isOn(cadence, second - 1000)) ||
    isCoalescedSlot(cadence, second) ||
    recent.some(({ nominal }) => secondOf(nominal) === second);
  let nominal = now;
  while (isTaken(secondOf(nominal))) nominal -= 1000;
  return nominal;
}

function secondOf(instant: number): number {
  return Math.floor(instant / 1000) * 1000;
}
