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

/** `static-types` is not listed: the fuzzer recognises it by asking again with the types hidden. */
export const knownDifferences: readonly KnownDifference[] = [];
