import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';

describe('a journey that schedules runs of itself', () => {
  let rigged: Rig;
  beforeAll(async () => {
    rigged = await rig();
  });
  afterAll(() => rigged.stop());

  it('runs exactly maxRuns times, each from the context the one before ended with (R0-03 to R0-06, R0-08)', async () => {
    const view = await rigged.start(counting({ interval: 'PT2S', maxRuns: 5 }), { user: 'ada', n: 0 });
    expect(view).toMatchObject({ phase: 'SUCCEEDED', outcome: { output: { went: 'on' } } });
    const id = await binding(rigged, 'ada');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 5);
    expect(done.record).toMatchObject({
      journeyName: 'counting',
      journeyVersion: '1.0.0',
      startStateId: 'tick',
      subjectId: 'ada',
      interval: 'PT2S',
      maxRuns: 5,
      runsExecuted: 5,
      generation: 1,
    });
    expect(done.context).toMatchObject({ user: 'ada', n: 5, seen: [0, 1, 2, 3, 4] });
    expect(done).toMatchObject({ paused: true, note: 'Exhausted: 5 of 5 runs done' });
    await sleep(4_500);
    const later = await until(rigged, id, () => true);
    expect([later.actions, later.record.runsExecuted, later.context.n]).toEqual([5, 5, 5]);
  });
});
