import type { Host } from './host.js';

/** Consumed part of a budget, as plain JSON; carried over when a run continues as new. */
export interface BudgetUsage {
  used: number;
  /** Time of the last update, in milliseconds. */
  at: number;
}

/** Size of a budget and its refill per minute. */
export interface BudgetRate {
  readonly atOnce: number;
  readonly perMinute: number;
}

/** Budgets consumed by a run or by one item of a map. A cycle that exceeds them counts as endless. */
export interface Budgets {
  calls: BudgetUsage;
  states: BudgetUsage;
  segment: WorkSinceWait;
}

/** Work since the last wait; carried over when a run continues as new. */
export interface WorkSinceWait {
  states: number;
  fuel: number;
}

/** An unused budget. */
export function unusedBudgets(at: number): Budgets {
  return { calls: { used: 0, at }, states: { used: 0, at }, segment: { states: 0, fuel: 0 } };
}

/** The default budget of calls and timers. */
export const defaultCalls: BudgetRate = { atOnce: 1_000, perMinute: 300 };

/** Consumes a budget; returns false when it is used up. It refills over time, so only long-lasting cycles are stopped. */
export function consume(spent: BudgetUsage, { atOnce, perMinute }: BudgetRate, now: number, amount = 1): boolean {
  const back = (Math.max(0, now - spent.at) / 60_000) * perMinute;
  spent.used = Math.max(0, spent.used - back) + amount;
  spent.at = now;
  return spent.used <= atOnce;
}

/**
 * Work that a run may do in one turn. A unit is about one plain state: 0.02 to 0.04 ms in the workflow sandbox. The limit allows a
 * thousand plain states, so that ordinary journeys never pause; runs that compute more yield often. Without a limit, the SDK would
 * report a deadlock after five seconds and stop the worker.
 */
const atOnce = 1_500;
/** The refill per second. It is a small share of a worker's time, so a run that keeps computing pauses more and more. */
const perSecond = 300;
const laterTurn = 500;

/** Costs, in units of work. */
export const workCosts = {
  state: 1,
  /** A branch needs a scope, a walk and their promises. */
  branch: 6,
  subjourney: 4,
  /** A call or a timer needs commands, events, and usually a separate workflow task. */
  ask: 20,
  /** The fuel of expressions that counts as one unit. */
  fuelPerUnit: 50,
} as const;

/**
 * The work of a run until it waits or yields. A worker has one thread for all its runs, so a long path without a wait is divided into
 * turns. Turns are measured in units of work over all branches, never by a clock, so that a replay yields at the same points.
 */
export class Turn {
  private allowed = atOnce;
  /** Branches that wait for the next turn. */
  private line: Waiting[] = [];
  private places = 0;

  constructor(
    private readonly host: Pick<Host, 'now' | 'yield'>,
    /** Carried over when the run continues as new. */
    private readonly account: BudgetUsage,
  ) {
    this.begin();
  }

  /** Starts a turn after an external event and refills the budget for the time since the last one. Events of the same instant share a turn. */
  begin(): void {
    const { account } = this;
    const now = this.host.now();
    if (now <= account.at) return;
    account.used = Math.max(0, account.used - ((now - account.at) * perSecond) / 1_000);
    account.at = now;
    this.allowed = Math.max(atOnce, Math.min(this.allowed, account.used + laterTurn));
  }

  spend(units: number): void {
    this.account.used += units;
  }

  /**
   * A place in the queue of waiting branches; undefined while the turn lasts. A branch that has waited calls this again with its place and
   * keeps the place: a branch that was resumed before it may have used up the turn again.
   */
  place(kept?: number): number | undefined {
    if (this.account.used < this.allowed || !this.host.yield) return undefined;
    return kept ?? this.places++;
  }

  /** Resolves after a yield, in the order of places. */
  wait(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.line.push({ place, resolve });
      if (this.line.length === 1) this.yield().catch(reject);
    });
  }

  private async yield(): Promise<void> {
    const { account, host } = this;
    await host.yield?.();
    this.begin();
    this.allowed = Math.max(atOnce, account.used + laterTurn);
    const woken = this.line.sort((a, b) => a.place - b.place);
    this.line = [];
    for (const { resolve } of woken) resolve();
  }
}

interface Waiting {
  readonly place: number;
  readonly resolve: () => void;
}
