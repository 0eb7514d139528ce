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
  private pausing: Promise<void> | undefined;

  constructor(
    private readonly host: Pick<Host, 'now' | 'pause'>,
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

  /** Resolves when the run may go on; undefined while its turn lasts. */
  over(): Promise<void> | undefined {
    const { account, host } = this;
    if (account.used < this.allowed || !host.pause) return undefined;
    this.pausing ??= host.pause(Math.ceil((account.used - atOnce + 1) / laterTurn), this.units).then(() => {
      this.pausing = undefined;
      this.units = 0;
      this.begin();
      this.allowed = Math.max(atOnce, account.used + laterTurn);
    });
    return this.pausing;
  }
}
