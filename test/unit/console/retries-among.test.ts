import { expect, it } from 'vitest';
import type { RunItem } from '../../../src/console/api/run-types.js';
import { retriesAmong } from '../../../src/console/pages/runs/retries-among.js';

it('finds the latest retry of each run of a page', () => {
  const run = (journeyId: string, retryOf?: string): RunItem => ({
    journeyId,
    journeyName: 'checkout',
    phase: 'FAILED',
    attributes: { subjectId: 'ada', ...(retryOf !== undefined && { retryOf }) },
  });
  const page = [run('third', 'first'), run('fourth', 'elsewhere'), run('second', 'first'), run('first')];
  expect([...retriesAmong(page)]).toEqual([
    ['first', 'third'],
    ['elsewhere', 'fourth'],
  ]);
});
