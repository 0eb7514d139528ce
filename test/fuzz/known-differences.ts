import type { Answer } from '../../src/cli/eval-run.js';
import type { OracleAnswer } from './oracle.js';
import { sameJson } from './raw.js';

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
export const knownDifferences: readonly KnownDifference[] = [
  { id: 'crash', matches: ({ oracle }) => crash.test(oracle.ok ? oracle.raw : oracle.error) },
  {
    id: 'ties',
    matches: ({ expr, oracle, ours }) =>
      /\bformat: *"[^"]*[#0]/.test(expr) && oracle.ok && ours.ok && /"-?0*\.?0*"/.test(oracle.raw),
  },
  { id: 'half-characters', matches: ({ expr, ours }) => astral.test(expr) || (ours.ok && astral.test(ours.raw)) },
  {
    id: 'error-text',
    matches: ({ oracle, ours }) =>
      oracle.ok && ours.ok && sameJson(withoutErrors(oracle.raw), withoutErrors(ours.raw)) && failed.test(ours.raw),
  },
];

const crash =
  /InternalWeaveError|java\.lang\.|java\.util\.|Index out of range: |Stack Overflow\. Max stack|Instant exceeds/;
const astral = /[\u{10000}-\u{10ffff}]/u;
const failed = /"success": false/;

/** A result without anything that `try` tells about a failure except that it failed. */
function withoutErrors(raw: string): string {
  return JSON.stringify(JSON.parse(raw), (key, value) => (key === 'error' ? {} : value));
}
