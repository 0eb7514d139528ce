import type { Host } from './host.js';

/**
 * What a run may do in one turn. A unit is about one plain state, a tenth of a millisecond in the workflow sandbox. So a turn takes
 * some 20 ms; the SDK gives up after 5,000 ms and takes the worker with it.
 */
const workPerTurn = 250;

/** What things cost, in units of work. */
export const work = {
  state: 1,
  /** A branch is a scope, a walk and their promises. */
  branch: 3,
  subjourney: 2,
  /** How much expression fuel is one unit. */
  fuelPerUnit: 500,
} as const;

/**
 * What a run does until it waits or lets others go on. A worker has one thread for all its runs, so a long stretch without a wait
 * is cut into turns. They count work over all branches, never time: a replay takes its turns at the same places.
 */
export class Turn {
  private spent = 0;
  private beganAt: number;

  constructor(private readonly host: Pick<Host, 'now' | 'pause'>) {
    this.beganAt = host.now();
  }

  /** Something came from outside. All that comes at one instant belongs to one turn, however much. */
  begin(): void {
    const now = this.host.now();
    if (now === this.beganAt) return;
    this.beganAt = now;
    this.spent = 0;
  }

  spend(units: number): void {
    this.spent += units;
  }

  /** Resolves when the run may go on; undefined while its turn lasts. */
  over(): Promise<void> | undefined {
    if (this.spent < workPerTurn) return undefined;
    return this.host.pause?.().then(() => this.begin());
  }
}
