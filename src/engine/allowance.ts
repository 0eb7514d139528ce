/** How much of an allowance was taken, as plain JSON: a run carries it along. */
export interface Spent {
  used: number;
  /** When it was last looked at; milliseconds. */
  at: number;
}

/** How many at once, and how many come back a minute. */
export interface Rate {
  readonly atOnce: number;
  readonly perMinute: number;
}

/** Where nothing else is configured: what a run may ask of the world, calls and timers together. */
export const defaultCalls: Rate = { atOnce: 1_000, perMinute: 300 };

/** Takes one; false when the allowance is used up. It refills over time, so only what goes on for long is stopped. */
export function takeOne(spent: Spent, { atOnce, perMinute }: Rate, now: number): boolean {
  const back = (Math.max(0, now - spent.at) / 60_000) * perMinute;
  spent.used = Math.max(0, spent.used - back) + 1;
  spent.at = now;
  return spent.used <= atOnce;
}
