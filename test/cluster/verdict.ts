import type { LedgerEntry } from './ledger.js';

/** What the ledger of a load must contain, and how it differs. */
export interface Verdict {
  readonly entries: number;
  /** Steps that must have called and did not. */
  readonly lost: readonly string[];
  /** Calls that arrived again with the key of the first: a service that honours the key acts once. */
  readonly repeatedWithKey: number;
  /** Repeated reads, which have no key and no effect. */
  readonly repeatedReads: number;
  /** Steps that called with more than one key, or without any: their service would act twice. */
  readonly repeatedWithoutKey: readonly string[];
  /** Calls that no step should have made. */
  readonly unexpected: readonly string[];
}

/** A step as the ledger names it. */
export const stepOf = ({ group, item, state }: Pick<LedgerEntry, 'group' | 'item' | 'state'>): string =>
  `${group}/${item}/${state}`;

/** Compares a ledger with the steps that must have called, each once. */
export function judgeLedger(entries: readonly LedgerEntry[], expected: ReadonlySet<string>): Verdict {
  const bySteps = new Map<string, LedgerEntry[]>();
  for (const entry of entries) {
    const step = stepOf(entry);
    bySteps.set(step, [...(bySteps.get(step) ?? []), entry]);
  }
  let [repeatedWithKey, repeatedReads] = [0, 0];
  const repeatedWithoutKey: string[] = [];
  for (const [step, calls] of bySteps) {
    if (calls.every(({ method }) => method === 'GET')) repeatedReads += calls.length - 1;
    else if (new Set(calls.map(({ key }) => key)).size > 1 || calls.some(({ key }) => key === undefined))
      repeatedWithoutKey.push(`${step}: ${calls.map(({ key }) => key ?? 'no key').join(', ')}`);
    else repeatedWithKey += calls.length - 1;
  }
  return {
    entries: entries.length,
    lost: [...expected].filter((step) => !bySteps.has(step)),
    repeatedWithKey,
    repeatedReads,
    repeatedWithoutKey,
    unexpected: [...bySteps.keys()].filter((step) => !expected.has(step)),
  };
}
