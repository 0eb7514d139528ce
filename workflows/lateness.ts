import { CancellationScope, condition, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Run } from '../src/engine/run.js';
import type { OpenStep } from '../src/engine/steps.js';
import { type Problem, problem } from '../src/problems/problem.js';
import { formatInstant } from '../src/time/duration.js';
import type { SignalAmongTimers } from './input.js';
import type { Room } from './room.js';

const { signalCameFirst } = proxyLocalActivities<{ signalCameFirst(asked: SignalAmongTimers): Promise<boolean> }>({
  startToCloseTimeout: '3s',
  scheduleToCloseTimeout: '30s',
  summary: 'signal or timer first',
});

/**
 * What comes first after a run was away: the SDK hands a run its submissions before the timers of the same workflow task, whichever
 * is first in its history. The clock of a run is the start of its task, so what is due by then has fired, or will at once.
 */
export class Lateness {
  private waiting = 0;
  /** Signals that came at one instant, by name. */
  private came = { at: 0, counts: new Map<string, number>() };

  constructor(
    private readonly run: Run,
    private readonly room: Room,
  ) {}

  /** Nothing waits to be let through. */
  get idle(): boolean {
    return this.waiting === 0;
  }

  /** Why an update comes too late for an open step: its time, or that of the whole run, was over when its task began. */
  refusal(step: OpenStep): Problem | undefined {
    const { deadlineAt } = this.run.position;
    const due = Math.min(step.dueAt ?? Number.POSITIVE_INFINITY, deadlineAt ?? Number.POSITIVE_INFINITY);
    if (due > Date.now()) return undefined;
    return problem('STEP_NOT_ACTIVE', `The step '${step.id}' waited until ${formatInstant(due)}; this came later.`);
  }

  /** Resolves when all that is due has happened; undefined where nothing is. */
  pass(): Promise<void> | undefined {
    const now = Date.now();
    return this.run.isDue(now) ? this.untilPassed(now) : undefined;
  }

  /** Hands a signal over with `take`: at once, unless a timer may have come first. */
  signal(name: string, take: () => void): void {
    const now = Date.now();
    if (this.run.isDue(now) && this.run.steps.get(name)) void this.judge(name, now, take);
    else take();
  }

  /** Timers are held until the history has told which came first. */
  private async judge(name: string, now: number, take: () => void): Promise<void> {
    if (this.came.at !== now) this.came = { at: now, counts: new Map() };
    const nth = this.came.counts.get(name) ?? 0;
    this.came.counts.set(name, nth + 1);
    this.waiting += 1;
    const release = this.room.hold();
    const asked = { signal: name, nth, startedId: workflowInfo().historyLength };
    // A signal is not lost because the server could not be asked.
    const first = await CancellationScope.nonCancellable(() => signalCameFirst(asked)).catch(() => true);
    if (first) {
      take();
      await settled();
      release();
    } else {
      release();
      await this.untilPassed(now);
      take();
    }
    this.waiting -= 1;
  }

  private async untilPassed(now: number): Promise<void> {
    this.waiting += 1;
    await CancellationScope.nonCancellable(() => condition(() => !this.run.isDue(now)));
    this.waiting -= 1;
  }
}

/** Resolves when everything this activation can do without waiting is done; costs no history, unlike a timer. */
export function settled(): Promise<void> {
  let asked = false;
  return condition(() => {
    const again = asked;
    asked = true;
    return again;
  });
}
