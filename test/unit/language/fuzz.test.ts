import { describe, expect, it } from 'vitest';
import { fuzzLoader } from '../../fuzz/loader/fuzz.js';

describe('mutated documents', () => {
  it('never crash the loader, nor load with a dangling reference', async () => {
    const report = await fuzzLoader(
      new URL('../../fixtures/', import.meta.url),
      Number(process.env.FUZZ_DOCUMENTS ?? 200),
    );
    expect(report.failures).toEqual([]);
    expect(report.loaded).toBeGreaterThan(0);
    expect(report.refused).toBeGreaterThan(0);
  });
});
