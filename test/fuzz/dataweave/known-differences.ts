import type { EvalResult } from '../../../src/cli/author/eval/evaluate-expression.js';
import type { OracleAnswer } from './oracle.js';
import { sameJson } from './raw.js';

/** A case with different results of the two engines. */
export interface Disagreement {
  expr: string;
  oracle: OracleAnswer;
  ours: EvalResult;
}

/** An accepted difference; `docs/dataweave-differences.md` has the reason under the same id. */
export interface KnownDifference {
  id: string;
  matches(it: Disagreement): boolean;
}

/**
 * Five more are recognised by evaluating variants in the real engine: `static-types` (with types hidden),
 * `input-read-twice` (with the input written into the expression), `joined-binaries` (with binaries copied), `plain-digits` (with zero
 * added to the numbers that it writes as `1E+3`) and `laziness` (with every value forced, or with `fail()` for a part).
 */
export const knownDifferences: readonly KnownDifference[] = [
  { id: 'crash', matches: ({ oracle }) => isCrash(oracle) },
  {
    id: 'block-imports',
    matches: ({ expr, oracle, ours }) =>
      /\bdo \{ *import\b/.test(expr) && !oracle.ok && /Unable to resolve reference/.test(oracle.error) && ours.ok,
  },
  {
    id: 'ties',
    matches: ({ expr, oracle, ours }) =>
      /\bformat: *"[^"]*[#0]/.test(expr) && oracle.ok && ours.ok && /"-?0*\.?0*"/.test(oracle.raw),
  },
  {
    id: 'last-digit',
    matches: ({ expr, oracle, ours }) =>
      trigonometry.test(expr) && oracle.ok && ours.ok && nearly(oracle.raw, ours.raw),
  },
  { id: 'half-characters', matches: ({ expr, ours }) => astral.test(expr) || (ours.ok && astral.test(ours.raw)) },
  {
    id: 'error-text',
    matches: ({ oracle, ours }) =>
      oracle.ok && ours.ok && sameJson(withoutErrors(oracle.raw), withoutErrors(ours.raw)) && failed.test(ours.raw),
  },
];

const crash =
  /InternalWeaveError|java\.lang\.|java\.util\.|Index out of range: |Stack Overflow\. Max stack|Instant exceeds|There is no variable named|empty\.reduceLeft/;
/** Whether the real engine had an internal error, even if a `try` caught it. */
export function isCrash(answer: OracleAnswer): boolean {
  return crash.test(answer.ok ? answer.raw : answer.error);
}

const trigonometry = /\b(a?cos|a?sin|a?tan|log10|logn)\(|\bpow\b/;
const fraction = /-?\d[\d.]{14,}(E[+-]?\d+)?/g;
/** Whether two results differ only in the last of at least 14 digits. */
function nearly(a: string, b: string): boolean {
  const [x, y] = [a.match(fraction) ?? [], b.match(fraction) ?? []].map((it) => it.map(Number)) as [number[], number[]];
  return (
    sameJson(a.replaceAll(fraction, '0'), b.replaceAll(fraction, '0')) &&
    x.length === y.length &&
    x.every((it, i) => Math.abs(it - y[i]!) <= Math.abs(it) * Number.EPSILON)
  );
}

const astral = /[\u{10000}-\u{10ffff}]/u;
const failed = /"success": false/;

/** A result without the details of failures that `try` reports. */
function withoutErrors(raw: string): string {
  return JSON.stringify(JSON.parse(raw), (key, value) => (key === 'error' ? {} : value));
}
