import type { Spent } from './allowance.js';
import type { Host } from './host.js';

/**
 * What a run may do at once. A unit is about one plain state: two to four hundredths of a millisecond in the workflow sandbox. It is
 * long enough for a thousand plain states, so that ordinary journeys never pause; whoever computes more makes way often.
 * The SDK would give up after five seconds, and take the worker with it.
 */
const atOnce = 1_500;
/** What comes back in a second. It is a small share of a worker's time, so whoever goes on computing pauses more and more. */
const perSecond = 300;
const laterTurn = 500;

/** What things cost, in units of work. */
export const work = {
  state: 1,
  /** A branch is a scope, a walk and their promises. */
  branch: 6,
  subjourney: 4,
  /** A call or a timer is commands, events, and most often a workflow task of its own. */
  ask: 20,
  /** So much fuel of expressions is one unit. */
  fuelPerUnit: 50,
} as const;

/**
 * What a run does until it waits or lets others go on. A worker has one thread for all its runs, so a long way without a wait is
 * cut into turns. Counted in work over all branches, never in what a clock says it took: a replay takes its turns at the same places.
 */
export class Turn {
  private allowed = atOnce;
  /** Spent in this turn. */
  private units = 0;
  /** Branches that wait for the next turn. */
  private line: Waiting[] = [];
  private places = 0;

  constructor(
    private readonly host: Pick<Host, 'now' | 'pause' | 'turnsByBranch'>,
    /** The run carries it along. */
    private readonly account: Spent,
  ) {
    this.begin();
  }

  /** Something came from outside: what has come back by now is there. What came at the same instant belongs to the same turn. */
  begin(): void {
    const { account } = this;
    const now = this.host.now();
    if (now <= account.at) return;
    account.used = Math.max(0, account.used - ((now - account.at) * perSecond) / 1_000);
    account.at = now;
    this.units = 0;
    this.allowed = Math.max(atOnce, Math.min(this.allowed, account.used + laterTurn));
  }

  spend(units: number): void {
    this.account.used += units;
    this.units += units;
  }

  /**
   * A place in the line of branches that wait; undefined while the turn lasts. A branch that has waited asks again with its place and keeps
   * it: what a branch did that woke up before this one may have ended the turn again.
   */
  place(kept?: number): number | undefined {
    if (this.account.used < this.allowed || !this.host.pause) return undefined;
    if (kept === undefined) return this.places++;
    return this.host.turnsByBranch ? kept : undefined;
  }

  /** Resolves after a pause, first for those who came first. */
  wait(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.line.push({ place, resolve });
      if (this.line.length === 1) this.pause().catch(reject);
    });
  }

  private async pause(): Promise<void> {
    const { account, host } = this;
    await host.pause?.(Math.ceil((account.used - atOnce + 1) / laterTurn), this.units);
    this.units = 0;
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
