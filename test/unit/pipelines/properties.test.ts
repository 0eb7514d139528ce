import { describe, expect, it } from 'vitest';
import { Play } from '../../fuzz/pipelines/play.js';

describe('random histories of a pipeline', () => {
  // `npm run fuzz:pipelines` plays 100,000.
  it('R4-14 R4-19 R4-23 R4-24 R4-25: no two runs, nothing lost or consumed twice, no busy loop, the oldest event first', () => {
    const totals = { committed: 0, failed: 0, suspended: 0, empty: 0, prepares: 0, published: 0 };
    for (let seed = 1; seed <= 300; seed++) {
      const play = new Play(seed);
      try {
        play.run(60).finish();
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
      for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += play.counts[key];
    }
    // A history without events would prove nothing.
    for (const count of Object.values(totals)) expect(count).toBeGreaterThan(100);
  });
});
