import { judge } from './judge.js';
import { addCounts, type Counts, countsOf } from './tally.js';
import { worldOf } from './world.js';

/** The seeds of some worlds. */
export interface Block {
  first: number;
  count: number;
}

/** A failed world. */
export interface Failure {
  seed: number;
  what: string[];
}

/** The results of a block. */
export interface BlockResult {
  counts: Counts;
  failures: Failure[];
}

/** Plays all worlds of a block. */
export async function playBlock({ first, count }: Block): Promise<BlockResult> {
  const counts: Counts = {};
  const failures: Failure[] = [];
  for (let seed = first; seed < first + count; seed++) {
    try {
      const verdict = await judge(seed);
      addCounts(counts, countsOf(worldOf(seed), verdict));
      if (verdict.violations.length > 0) failures.push({ seed, what: verdict.violations });
    } catch (error) {
      failures.push({ seed, what: [`it cannot be judged: ${(error as Error).stack ?? String(error)}`] });
    }
  }
  return { counts, failures };
}
