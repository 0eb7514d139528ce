import type { Host } from './host.js';

/**
 * What a run may do in one turn. A unit is about one plain state, at most a tenth of a millisecond in the workflow sandbox. The first
 * turn after something came from outside is long enough for a thousand plain states, so that ordinary journeys never pause; whoever
 * computes more than that makes way often. The SDK would give up after five seconds, and take the worker with it.
 */
const firstTurn = 1_500;
const laterTurn = 250;

/** What things cost, in units of work. */
export const work = {
  state: 1,
  /** A branch is a scope, a walk and their promises. */
  branch: 3,
  subjourney: 2,
  /** So much fuel of expressions is one unit. */
  fuelPerUnit: 500,
} as const;

/**
 * What a run does until it waits or lets others go on. A worker has one thread for all its runs, so a long way without a wait is
 * cut into turns. Counted in work over all branches, never in time: a replay takes its turns at the same places.
 */
export class Turn {
  private spent = 0;
  private allowed = firstTurn;
  private beganAt: number;

  constructor(private readonly host: Pick<Host, 'now' | 'pause'>) {
    this.beganAt = host.now();
  }

  /** Something came from outside. What came at the same instant belongs to the same turn, whatever its number. */
  begin(): void {
    const now = this.host.now();
    if (now === this.beganAt) return;
    this.beganAt = now;
    this.spent = 0;
    this.allowed = firstTurn;
  }

  spend(units: number): void {
    this.spent += units;
  }

  /** Resolves when the run may go on; undefined while its turn lasts. */
  over(): Promise<void> | undefined {
    if (this.spent < this.allowed) return undefined;
    return this.host.pause?.().then(() => {
      this.begin();
      this.allowed = laterTurn;
    });
  }
}
