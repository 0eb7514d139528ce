import type { Answer } from '../../src/cli/eval-run.js';
import { equal, isObject, type Json } from '../../src/json/value.js';
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
export const knownDifferences: readonly KnownDifference[] = [
  {
    id: 'input-read-twice',
    matches: ({ expr, oracle, ours }) => {
      if (!oracle.ok || !ours.ok || !/\+\+|\(payload|\(context/.test(expr)) return false;
      const theirs = parsed(oracle.raw);
      return theirs !== undefined && !equal(theirs, ours.output) && isEmptied(theirs, ours.output);
    },
  },
];

function parsed(raw: string): Json | undefined {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return undefined;
  }
}

/** Whether `a` is `b` but for arrays and objects of the input that came out empty. */
function isEmptied(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length ? a.every((item, i) => isEmptied(item, b[i]!)) : a.length === 0;
  }
  if (isObject(a) && isObject(b)) {
    const [mine, theirs] = [Object.keys(a), Object.keys(b)];
    if (mine.length === 0) return true;
    return mine.length === theirs.length && mine.every((key) => Object.hasOwn(b, key) && isEmptied(a[key]!, b[key]!));
  }
  return equal(a, b);
}
