/** Cost counters: history events, ordinary and local activities, service calls, timers, and steps that wait for input. */
export interface CostTally {
  events: number;
  activities: number;
  localActivities: number;
  calls: number;
  timers: number;
  steps: number;
}

/** Lower and upper bound of a cost. */
export interface CostRange {
  least: CostTally;
  most: CostTally;
}

const none: CostTally = { events: 0, activities: 0, localActivities: 0, calls: 0, timers: 0, steps: 0 };
const names = Object.keys(none) as (keyof CostTally)[];

/** A cost that is known exactly. */
export function exactly(part: Partial<CostTally>): CostRange {
  const tally = { ...none, ...part };
  return { least: tally, most: tally };
}

export const nothing = exactly({});

/** Events of a workflow task: scheduled, started, completed. */
export const workflowTask = 3;

/** An ordinary activity is scheduled, started and completed, and wakes the run. */
export const ordinaryActivity = exactly({ events: 3 + workflowTask, activities: 1 });

/** A child workflow is initiated, started and completed, and wakes the run with its start and its end, which may come together. */
export const childWorkflow: CostRange = {
  least: exactly({ events: 3 + workflowTask }).least,
  most: exactly({ events: 3 + 2 * workflowTask }).most,
};

/** A detached child is initiated and started, and wakes the run with its start. */
export const detachedWorkflow = exactly({ events: 2 + workflowTask });

/** A local activity leaves a marker. */
export const localActivity = exactly({ events: 1, localActivities: 1 });

/** The cost of both, in sequence. */
export function plus(a: CostRange, b: CostRange): CostRange {
  return { least: each(a.least, b.least, (x, y) => x + y), most: each(a.most, b.most, (x, y) => x + y) };
}

/** The cost of the same, up to `most` times in sequence. */
export function upTo(most: number, { least, most: one }: CostRange): CostRange {
  return { least, most: each(one, one, (x) => x * most) };
}

/** The cost of either alternative. */
export function orElse(a: CostRange, b: CostRange): CostRange {
  return { least: each(a.least, b.least, Math.min), most: each(a.most, b.most, Math.max) };
}

function each(a: CostTally, b: CostTally, combine: (x: number, y: number) => number): CostTally {
  return Object.fromEntries(names.map((name) => [name, combine(a[name], b[name])])) as unknown as CostTally;
}
