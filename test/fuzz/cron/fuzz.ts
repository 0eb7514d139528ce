import { Random } from '../dataweave/random.js';
import { type Difference, differences } from './compare.js';
import { cronCase } from './generate.js';
import { libraries } from './libraries.js';

export interface CronReport {
  expressions: number;
  /** The number of expressions that differ by each rule. */
  byRule: Record<string, number>;
  unexplained: string[];
}

/** Compares this many random expressions with both libraries. */
export function fuzzCron(count: number, seed: number): CronReport {
  const random = new Random(seed);
  const byRule: Record<string, number> = {};
  const unexplained: string[] = [];
  for (let i = 0; i < count; i++) {
    const each = cronCase(random);
    for (const library of libraries) {
      const found = differences(each, library);
      for (const rule of new Set(found.flatMap((it) => it.rule ?? [])))
        byRule[`${library.name}: ${rule}`] = (byRule[`${library.name}: ${rule}`] ?? 0) + 1;
      const first: Difference | undefined = found.find(({ rule }) => rule === undefined);
      if (first) unexplained.push(first.what);
    }
  }
  return { expressions: count, byRule, unexplained };
}
