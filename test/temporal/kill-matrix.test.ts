import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mulberry } from '../fuzz/loader/mutate.js';
import { cases } from '../reliability/kill-matrix/cases.js';
import { type Environment, startEnvironment } from '../reliability/kill-matrix/environment.js';
import { playRound } from '../reliability/kill-matrix/round.js';
import { hasKafka } from '../support/services.js';
// Installs the runtime of Temporal's SDK, which exists once per process.
import './support/rig.js';

/** A part of `npm run kill-matrix`, always with the same seed: one kill of the worker during every state type and task kind. */
describe('REL-1 the kill matrix', () => {
  const played = cases.filter((it) => hasKafka || !it.kafka);
  let environment: Environment;
  beforeAll(async () => {
    environment = await startEnvironment(played);
  });
  afterAll(() => environment.stop());

  it('a worker killed during a step of any kind loses nothing, and repeats nothing without its key', async () => {
    const report = await playRound(environment, {
      cases: played,
      process: 'worker',
      moment: 'during',
      name: 'test',
      random: mulberry(27),
    });
    expect(report.problems).toEqual([]);
    expect(report.runs).toBe(played.length);
  });
});
