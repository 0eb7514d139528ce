import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../cluster/ledger.js';
import { judgeLedger } from '../../cluster/verdict.js';

const called = (state: string, key?: string, method = 'POST'): LedgerEntry => ({
  at: 0,
  method,
  group: 'order',
  item: '1',
  state,
  key,
});

describe('The ledger of the cluster test', () => {
  it('is right when each step called once', () => {
    const verdict = judgeLedger(
      [called('charge', 'r/charge#1'), called('look', undefined, 'GET')],
      new Set(['order/1/charge', 'order/1/look']),
    );
    expect(verdict).toEqual({
      entries: 2,
      lost: [],
      repeatedWithKey: 0,
      repeatedReads: 0,
      repeatedWithoutKey: [],
      unexpected: [],
    });
  });

  it('distinguishes a repetition with the key of the first call from one with another key or none', () => {
    const steps = new Set(['order/1/charge', 'order/1/book', 'order/1/send']);
    const verdict = judgeLedger(
      [called('charge', 'a'), called('charge', 'a'), called('book', 'b'), called('book', 'c'), called('send')],
      steps,
    );
    expect(verdict).toMatchObject({
      repeatedWithKey: 1,
      repeatedWithoutKey: ['order/1/book: b, c', 'order/1/send: no key'],
    });
  });

  it('counts repeated reads separately, because they have no key', () => {
    const reads = [called('look', undefined, 'GET'), called('look', undefined, 'GET')];
    expect(judgeLedger(reads, new Set(['order/1/look']))).toMatchObject({ repeatedReads: 1, repeatedWithoutKey: [] });
  });

  it('lists steps that never called, and calls that no step should have made', () => {
    expect(judgeLedger([called('refund', 'a')], new Set(['order/1/charge']))).toMatchObject({
      lost: ['order/1/charge'],
      unexpected: ['order/1/refund'],
    });
  });
});
