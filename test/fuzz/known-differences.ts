import type { Answer } from '../../src/cli/eval-run.js';
import type { OracleAnswer } from './oracle.js';

/** A case on which the two engines do not agree. */
export interface Disagreement {
  expr: string;
  oracle: OracleAnswer;
  ours: Answer;
}

/** A difference that was looked at and accepted; `docs/dataweave-differences.md` has the reason under the same id. */
export interface KnownDifference {
  id: string;
  matches(it: Disagreement): boolean;
}

/**
 * Three more are not recognised by their looks but by asking the real engine again: `static-types` (with types hidden),
 * `input-read-twice` (with the input written into the expression) and `laziness` (made to look at every value).
 */
export const knownDifferences: readonly KnownDifference[] = [];
