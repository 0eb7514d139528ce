import type { LedgerEntry } from './ledger.js';

/** The differences between a ledger and its expected content. */
export interface Verdict {
  readonly entries: number;
  /** Missing calls of steps. */
  readonly lost: readonly string[];
  /** Calls repeated with the key of the first: a service that honours the key acts once. */
  readonly repeatedWithKey: number;
  /** Repeated reads, which have neither key nor effect. */
  readonly repeatedReads: number;
  /** Steps that called with several keys or without one: their service would act twice. */
  readonly repeatedWithoutKey: readonly string[];
  /** Unexpected calls. */
  readonly unexpected: readonly string[];
}

/** The ledger's name for a step. */
export const stepOf = ({ group, item, state }: Pick<LedgerEntry, 'group' | 'item' | 'state'>): string =>
  `${group}/${item}/${state}`;

/** Compares a ledger with the expected calls, one per step. */
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
