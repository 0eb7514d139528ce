import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../fuzz/dataweave/random.js';
import type { Member } from './member.js';

/** A completed kill. */
export interface Kill {
  readonly member: Member;
  readonly at: number;
  /** The time at which the process was restarted, as by its supervisor. */
  readonly restartedAt: number;
  /** The time at which it accepted work again. */
  readonly readyAt: number;
}

/** The order of kills: every process once per round, in a random order. */
export function killOrder<T>(members: readonly T[], kills: number, random: Random): T[] {
  const order: T[] = [];
  while (order.length < kills) {
    const round = [...members];
    while (round.length > 0) order.push(round.splice(random.below(round.length), 1)[0]!);
  }
  return order.slice(0, kills);
}

/** The number of the run before which each kill happens: between 15% and 85%, so that there is load before and after. */
export function killPoints(runs: number, kills: number): number[] {
  return Array.from({ length: kills }, (_, i) => Math.floor((runs * (15 + (70 * i) / kills)) / 100));
}

/** Kills processes sequentially, each after the previous one is ready again. */
export class RollingKills {
  readonly done: Kill[] = [];
  private last: Promise<void> = Promise.resolve();
  private readonly due: number[];

  constructor(
    private readonly order: readonly Member[],
    runs: number,
    private readonly random: Random,
    private readonly say: (text: string) => void,
  ) {
    this.due = killPoints(runs, order.length);
  }

  /** Performs the kills that are due before this run. */
  before(n: number): void {
    while (this.due.length > 0 && this.due[0]! <= n) {
      this.due.shift();
      const index = this.order.length - this.due.length - 1;
      const downMs = 500 + this.random.below(5_500);
      this.last = this.last.then(() => this.kill(this.order[index]!, downMs));
      // `settled` reports it.
      this.last.catch(() => {});
    }
  }

  /** Resolves when all due kills have happened and their processes are ready. */
  async settled(): Promise<void> {
    await this.last;
  }

  private async kill(member: Member, downMs: number): Promise<void> {
    const { pid } = member;
    const at = Date.now();
    await member.kill();
    await sleep(downMs);
    const restartedAt = Date.now();
    await member.start();
    const readyAt = Date.now();
    this.done.push({ member, at, restartedAt, readyAt });
    this.say(
      `kill ${this.done.length}/${this.order.length}: ${member.name} (pid ${pid}), down for ${downMs} ms, ready again after ${readyAt - at} ms`,
    );
  }
}
