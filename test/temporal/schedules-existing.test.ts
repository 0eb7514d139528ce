import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TemporalSchedules } from '../../src/temporal/schedules/manage.js';
import { findBinding } from '../../src/temporal/schedules/snapshot.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';

describe('a schedule that exists already', () => {
  let rigged: Rig;
  beforeAll(async () => {
    rigged = await rig();
    await rigged.start(counting({ name: 'warm', interval: 'PT1H', maxRuns: 1 }), { user: 'w', n: 0 });
  });
  afterAll(() => rigged.stop());
  const schedules = () => new TemporalSchedules(rigged.client, rigged.config);
  const ahead = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000).toISOString();
  const plan = (onExisting: string, user: string, n: number, more = {}) =>
    rigged.start(counting({ interval: 'PT1H', maxRuns: 3, startAt: ahead, onExisting, ...more }), { user, n });
  const listed = async (subjectId: string) =>
    (await schedules().list({ subjectId, pageSize: 50 })).items.map(({ scheduleId }) => scheduleId);

  it('fail: of two at the same instant one wins, the other fails with SCHEDULE_ALREADY_EXISTS (R0-02)', async () => {
    for (const round of [1, 2, 3, 4, 5]) {
      const user = `fail${round}`;
      const views = await Promise.all([plan('fail', user, 1), plan('fail', user, 2)]);
      const phases = views.map(({ phase }) => phase).sort();
      expect(phases).toEqual(['FAILED', 'SUCCEEDED']);
      const lost = views.find(({ phase }) => phase === 'FAILED')!;
      expect(lost.outcome?.error).toMatchObject({
        code: 'SCHEDULE_ALREADY_EXISTS',
        state: 'plan',
        reason: expect.stringContaining(binding(user)),
      });
      const won = views.findIndex(({ phase }) => phase === 'SUCCEEDED');
      expect((await until(rigged, binding(user), () => true)).context).toMatchObject({ n: won + 1 });
    }
  });

  it('upsert: there is one, with the values of the last, and counts from nothing (R0-02)', async () => {
    await rigged.start(counting({ interval: 'PT1H', maxRuns: 2 }), { user: 'up', n: 5 });
    await until(rigged, binding('up'), ({ record }) => record.runsExecuted === 1);
    await Promise.all([plan('upsert', 'up', 10), plan('upsert', 'up', 20)]);
    const both = await until(rigged, binding('up'), ({ record }) => record.generation === 3);
    expect([10, 20]).toContain(both.context.n);
    await plan('upsert', 'up', 30, { maxRuns: 7, interval: 'P1M' });
    const last = await until(rigged, binding('up'), ({ record }) => record.generation === 4);
    expect(last).toMatchObject({
      context: { n: 30, seen: [] },
      record: { maxRuns: 7, interval: 'P1M', runsExecuted: 0, startAt: ahead },
      next: [Date.parse(ahead), expect.anything(), ...Array(5).fill(expect.anything())],
    });
    expect(await listed('up')).toEqual([binding('up')]);
  });

  it('upsert while a run is active: that run hands nothing on, and the first new one starts at once after it', async () => {
    const after = '    after: { type: timer, timer: { duration: PT4S }, next: end }';
    const slow = { name: 'slow-one', interval: 'PT1H', maxRuns: 2, after, onExisting: 'upsert' };
    await rigged.start(counting(slow), { user: 's', n: 0 });
    const id = binding('s', 'slow-one');
    await until(rigged, id, ({ running }) => running.length > 0);
    await rigged.start(counting({ ...slow, interval: 'PT2H' }), { user: 's', n: 100 });
    const replaced = await until(rigged, id, ({ record }) => record.generation === 2);
    expect(replaced.running).toHaveLength(1);
    const done = await until(rigged, id, ({ record }) => record.runsExecuted === 1);
    expect(done.context).toMatchObject({ n: 101, seen: [100] });
    expect(done.actions).toBe(2);
  });

  it('addAnother: there are two, and fail sees the second when the first is gone (R0-02)', async () => {
    await Promise.all([plan('addAnother', 'more', 1), plan('addAnother', 'more', 2)]);
    await expect.poll(() => listed('more').then((ids) => ids.length)).toBe(2);
    const ids = await listed('more');
    expect(ids).toContain(binding('more'));
    await schedules().delete(binding('more'));
    await expect.poll(() => listed('more').then((ids) => ids.length)).toBe(1);
    expect((await plan('fail', 'more', 3)).outcome?.error?.code).toBe('SCHEDULE_ALREADY_EXISTS');
    expect(await findBinding(rigged.client, binding('more'))).toBeUndefined();
  });

  it('an exhausted one does not stand in the way', async () => {
    await rigged.start(counting({ interval: 'PT1H', maxRuns: 1 }), { user: 'again', n: 0 });
    await until(rigged, binding('again'), ({ paused }) => paused);
    expect((await plan('fail', 'again', 50)).phase).toBe('SUCCEEDED');
    const fresh = await until(rigged, binding('again'), () => true);
    expect(fresh).toMatchObject({ paused: false, context: { n: 50 }, record: { generation: 2, runsExecuted: 0 } });
    expect((await plan('fail', 'again', 60)).outcome?.error?.code).toBe('SCHEDULE_ALREADY_EXISTS');
  });

  it.each([
    ['interval', 'interval: { mapper: { lang: dataweave, expr: "\'soon\'" } }', 'ISO-8601'],
    ['interval', 'interval: { mapper: { lang: dataweave, expr: "\'PT0.5S\'" } }', 'whole seconds'],
    ['maxRuns', 'maxRuns: { mapper: { lang: dataweave, expr: "0" } }', 'at least 1'],
    ['startAt', 'startAt: { mapper: { lang: dataweave, expr: "\'tomorrow\'" } }', '2027-01-31'],
    ['subjectId', 'subjectId: { mapper: { lang: dataweave, expr: "\'\'" } }', '1 to 256'],
    ['context', 'context: { mapper: { lang: dataweave, expr: "[1]" } }', 'object'],
  ])('refuses a bad %s with SCHEDULE_INVALID and a hint (R0-02)', async (field, line, hint) => {
    const journey = counting({ interval: 'PT1H', maxRuns: 1, startAt: ahead })
      .split('\n')
      .map((each) => (each.trim().startsWith(`${field}:`) ? `        ${line}` : each))
      .join('\n');
    const { outcome } = await rigged.start(journey, { user: 'bad', n: 0 });
    expect(outcome?.error).toMatchObject({
      code: 'SCHEDULE_INVALID',
      state: 'plan',
      pointer: `/task/${field}`,
      hint: expect.stringContaining(hint),
    });
    expect(await findBinding(rigged.client, binding('bad'))).toBeUndefined();
  });
});
