import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingSchedule } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import type { Rig } from './support/rig.js';
import { ahead, binding, counting, scheduleRig, until } from './support/schedules.js';

describe('creating a schedule that already exists', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());
  const later = ahead();
  const plan = (onExisting: string, user: string, n: number, more = {}) =>
    rigged.start(counting({ interval: 'PT1H', maxRuns: 3, startAt: later, onExisting, ...more }), { user, n });
  const listed = async (subjectId: string) =>
    (await schedules.list({ subjectId, pageSize: 50 })).items.map(({ scheduleId }) => scheduleId);

  it('fail: one of two concurrent requests wins, the other fails with SCHEDULE_ALREADY_EXISTS (R0-02)', async () => {
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

  it('upsert: one exists, with the latest values, and its count starts at zero (R0-02)', async () => {
    await rigged.start(counting({ interval: 'PT1H', maxRuns: 2 }), { user: 'up', n: 5 });
    await until(rigged, binding('up'), ({ record }) => record.runsExecuted === 1);
    await Promise.all([plan('upsert', 'up', 10), plan('upsert', 'up', 20)]);
    const both = await until(rigged, binding('up'), ({ record }) => record.generation === 3);
    expect([10, 20]).toContain(both.context.n);
    await plan('upsert', 'up', 30, { maxRuns: 7, interval: 'P1M' });
    const last = await until(rigged, binding('up'), ({ record }) => record.generation === 4);
    expect(last).toMatchObject({
      context: { n: 30, seen: [] },
      record: { maxRuns: 7, interval: 'P1M', runsExecuted: 0, startAt: later },
      next: [Date.parse(later), expect.anything(), ...Array(5).fill(expect.anything())],
    });
    expect(await listed('up')).toEqual([binding('up')]);
  });

  it('upsert during a run: that run does not write back, and the first new one starts directly after it', async () => {
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

  it('addAnother: two exist, and fail detects the second after the first is deleted (R0-02)', async () => {
    await Promise.all([plan('addAnother', 'more', 1), plan('addAnother', 'more', 2)]);
    await expect.poll(() => listed('more').then((ids) => ids.length)).toBe(2);
    const ids = await listed('more');
    expect(ids).toContain(binding('more'));
    await schedules.delete(binding('more'));
    await expect.poll(() => listed('more').then((ids) => ids.length)).toBe(1);
    expect((await plan('fail', 'more', 3)).outcome?.error?.code).toBe('SCHEDULE_ALREADY_EXISTS');
    expect(await bindingSchedule(rigged.client, binding('more')).find()).toBeUndefined();
  });

  it('GAP-1 upsert replaces an added one if the plain one is deleted or exhausted', async () => {
    await Promise.all([plan('addAnother', 'left', 1), plan('addAnother', 'left', 2)]);
    await expect.poll(() => listed('left').then((ids) => ids.length)).toBe(2);
    await schedules.delete(binding('left'));
    await expect.poll(() => listed('left').then((ids) => ids.length)).toBe(1);
    const [added] = await listed('left');
    expect((await plan('upsert', 'left', 3)).phase).toBe('SUCCEEDED');
    expect(await listed('left')).toEqual([added]);
    expect(await schedules.show(added!)).toMatchObject({ generation: 2, lastContext: { n: 3 } });
    // The same for an exhausted plain one.
    await rigged.start(counting({ interval: 'PT1H', maxRuns: 1 }), { user: 'spent', n: 0 });
    await until(rigged, binding('spent'), ({ paused }) => paused);
    await plan('addAnother', 'spent', 1);
    await expect
      .poll(async () => (await schedules.list({ subjectId: 'spent', state: 'active', pageSize: 9 })).items.length)
      .toBe(1);
    await plan('upsert', 'spent', 2);
    const { items } = await schedules.list({ subjectId: 'spent', state: 'active', pageSize: 9 });
    expect(items).toHaveLength(1);
    expect(await schedules.show(items[0]!.scheduleId)).toMatchObject({ generation: 2, lastContext: { n: 2 } });
  });

  it.each([null, 'ada'])(
    'GAP-1 each client has its own schedules; an operator sees them all (subject %s)',
    async (user) => {
      const name = `owned-${user}`;
      const subject = user ?? '';
      const ask = (caller: string, onExisting: string, n: number) => {
        const journey = counting({ name, interval: 'PT1H', maxRuns: 3, startAt: later, onExisting });
        const own = user === null ? journey.replace(/^ *subjectId:.*\n/m, '') : journey;
        const mine = caller === 'operator' ? {} : { ownSchedules: true };
        return rigged.start(own, { user: subject, n }, { caller: `key:${caller}`, ...mine });
      };
      const owned = async () => {
        const { items } = await schedules.list({ journeyName: name, pageSize: 50 });
        const all = await Promise.all(items.map(({ scheduleId }) => schedules.show(scheduleId)));
        return all.map(({ owner, lastContext }) => `${owner} ${lastContext.n}`).sort();
      };
      const phases = [];
      // Neither learns of the other's.
      for (const [caller, how] of [
        ['ann', 'fail'],
        ['bob', 'fail'],
        ['ann', 'fail'],
      ] as const)
        phases.push((await ask(caller, how, phases.length)).outcome?.error?.code ?? 'SUCCEEDED');
      expect(phases).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SCHEDULE_ALREADY_EXISTS']);
      await ask('bob', 'upsert', 5);
      await expect.poll(owned).toEqual(['key:ann 0', 'key:bob 5']);
      await ask('bob', 'addAnother', 6);
      await expect.poll(owned).toEqual(['key:ann 0', 'key:bob 5', 'key:bob 6']);
      // For an operator, the reference is ambiguous.
      for (const how of ['fail', 'upsert'])
        expect((await ask('operator', how, 7)).outcome?.error?.code).toBe('SCHEDULE_ALREADY_EXISTS');
      expect(await owned()).toEqual(['key:ann 0', 'key:bob 5', 'key:bob 6']);
    },
  );

  it('an exhausted one is replaced', async () => {
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
  ])('rejects an invalid %s with SCHEDULE_INVALID and a hint (R0-02)', async (field, line, hint) => {
    const journey = counting({ interval: 'PT1H', maxRuns: 1, startAt: later })
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
    expect(await bindingSchedule(rigged.client, binding('bad')).find()).toBeUndefined();
  });
});
