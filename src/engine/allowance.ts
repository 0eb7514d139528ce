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

/** What a run, or one item of a map, has used of what it may do before a cycle is taken for endless. */
export interface Allowance {
  calls: Spent;
  states: Spent;
  segment: Segment;
}

/** What was done since something was last waited for; a fresh execution goes on with it. */
export interface Segment {
  states: number;
  fuel: number;
}

/** An allowance that nothing has been taken of. */
export function wholeAllowance(at: number): Allowance {
  return { calls: { used: 0, at }, states: { used: 0, at }, segment: { states: 0, fuel: 0 } };
}

/** Where nothing else is configured: what a run may ask of the world, calls and timers together. */
export const defaultCalls: Rate = { atOnce: 1_000, perMinute: 300 };

/** Takes one, or more; false when the allowance is used up. It refills over time, so only what goes on for long is stopped. */
export function take(spent: Spent, { atOnce, perMinute }: Rate, now: number, amount = 1): boolean {
  const back = (Math.max(0, now - spent.at) / 60_000) * perMinute;
  spent.used = Math.max(0, spent.used - back) + amount;
  spent.at = now;
  return spent.used <= atOnce;
}
