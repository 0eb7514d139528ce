/** What something costs: events of the history, activities of both kinds, calls of services, timers, and steps that wait for input. */
export interface Tally {
  events: number;
  activities: number;
  localActivities: number;
  calls: number;
  timers: number;
  steps: number;
}

/** The least and the most. */
export interface Range {
  least: Tally;
  most: Tally;
}

const none: Tally = { events: 0, activities: 0, localActivities: 0, calls: 0, timers: 0, steps: 0 };
const names = Object.keys(none) as (keyof Tally)[];

/** A cost that is known exactly. */
export function exactly(part: Partial<Tally>): Range {
  const tally = { ...none, ...part };
  return { least: tally, most: tally };
}

export const nothing = exactly({});

/** One after the other. */
export function plus(a: Range, b: Range): Range {
  return { least: each(a.least, b.least, (x, y) => x + y), most: each(a.most, b.most, (x, y) => x + y) };
}

/** One or the other. */
export function orElse(a: Range, b: Range): Range {
  return { least: each(a.least, b.least, Math.min), most: each(a.most, b.most, Math.max) };
}

function each(a: Tally, b: Tally, combine: (x: number, y: number) => number): Tally {
  return Object.fromEntries(names.map((name) => [name, combine(a[name], b[name])])) as unknown as Tally;
}
