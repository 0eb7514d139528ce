import { afterAll, beforeAll, describe, it } from 'vitest';
import { TemporalSchedules } from '../../src/temporal/schedules/manage.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting } from './support/schedules.js';

const hour = 3_600_000;
const slow = (duration: string) => `    after: { type: timer, timer: { duration: ${duration} }, next: end }`;

describe.concurrent('runs and bindings that are ended or made from outside', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    rigged = await rig();
    schedules = new TemporalSchedules(rigged.client, rigged.config);
    await rigged.start(counting({ name: 'warm', interval: 'PT1H', maxRuns: 1 }), { user: 'w', n: 0 });
  });
  afterAll(() => rigged.stop());

  /** A binding whose first run is due in so many milliseconds, in an hour unless it says so, and the next a day later. */
  async function plan(name: string, { maxRuns = 3, ahead = hour, n = 0, after = slow('PT3S') }): Promise<string> {
    const startAt = new Date(Math.ceil((Date.now() + ahead) / 1000) * 1000).toISOString();
    await rigged.start(counting({ name, interval: 'P1D', maxRuns, startAt, after }), { user: name, n });
    return binding(name, name);
  }

  it('a run whose schedule was deleted and made again hands nothing on to the new one', async ({ expect }) => {
    const id = await plan('again', {});
    const { executionId } = await schedules.runNow(id, 'r');
    await schedules.delete(id);
    expect(await plan('again', { n: 100 })).toBe(id);
    await rigged.client.workflow.getHandle(executionId).result();
    expect(await schedules.show(id)).toMatchObject({ runsExecuted: 0, generation: 1, lastContext: { n: 100 } });
  });
});
