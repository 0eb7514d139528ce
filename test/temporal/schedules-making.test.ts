import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { scheduleEffect } from '../../activities/schedule/schedule-effects.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';

const far = '2090-01-01T00:00:00Z';

/** The events in a run's history about the creation of its schedule. */
async function creationEvents(
  { client }: Rig,
  id: string,
): Promise<{ events: number; markers: number; activities: string[] }> {
  const { events = [] } = await client.workflow.getHandle(id).fetchHistory();
  const all = events ?? [];
  return {
    events: all.length,
    markers: all.filter((it) => it.markerRecordedEventAttributes).length,
    activities: all.flatMap((it) => it.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
  };
}

describe('creating a schedule', () => {
  let rigged: Rig;
  /** Resolves when the schedule that a run creates exists. */
  const afterwards = new Map<string, () => void>();
  beforeAll(async () => {
    let real: Perform | undefined;
    const schedule: Perform = async (input, how) => {
      real ??= scheduleEffect(rigged.client);
      const answer = await real(input, how);
      const { subjectId } = input as { subjectId: string };
      const then = afterwards.get(subjectId);
      afterwards.delete(subjectId);
      then?.();
      return answer;
    };
    const http: Perform = async () => ({ status: 200, headers: {}, body: {} });
    rigged = await rig({ activities: asActivities({ schedule, http }) });
    await rigged.start(counting({ name: 'making', startAt: far }), { user: 'first', n: 0 });
  });
  afterAll(() => rigged.stop());

  it('FLT-15 costs the server two requests, and the run one event without an additional workflow task', async () => {
    const service = rigged.client.workflowService as unknown as Record<string, (request: object) => unknown>;
    const asked: string[] = [];
    const spies = Object.keys(service).map((name) => {
      const real = service[name]!;
      return vi.spyOn(service, name).mockImplementation((request) => {
        asked.push(name);
        return real(request);
      });
    });
    const { journeyId, phase } = await rigged.start(counting({ name: 'making', startAt: far }), {
      user: 'cheap',
      n: 0,
    });
    for (const spy of spies) spy.mockRestore();
    expect(phase).toBe('SUCCEEDED');
    expect(asked).toEqual(['executeMultiOperation', 'listSchedules', 'createSchedule']);
    // Started, its one workflow task (three), the caller's update and its result, the schedule, the end.
    expect(await creationEvents(rigged, journeyId)).toEqual({ events: 8, markers: 1, activities: [] });
    expect(await until(rigged, binding('cheap', 'making'), () => true)).toMatchObject({ context: { n: 0 } });
  });

  it('FLT-15 fails the run if rejected, and the waiting caller gets the error', async () => {
    const start = () => rigged.start(counting({ name: 'making', startAt: far }), { user: 'twice', n: 0 });
    expect(await start()).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await start()).toMatchObject({
      phase: 'FAILED',
      outcome: { error: { code: 'SCHEDULE_ALREADY_EXISTS', state: 'plan' } },
    });
  });

  it('FLT-15 repeated after a lost result finds it and changes nothing', async () => {
    afterwards.set('unheard', () => {
      throw new Error('the worker is gone');
    });
    const { journeyId, phase } = await rigged.start(counting({ name: 'making', interval: 'PT1H' }), {
      user: 'unheard',
      n: 0,
    });
    expect(phase).toBe('SUCCEEDED');
    expect(await creationEvents(rigged, journeyId)).toMatchObject({ activities: ['schedule'] });
    const done = await until(rigged, binding('unheard', 'making'), ({ record }) => record.runsExecuted >= 1);
    expect(done).toMatchObject({ actions: 1, record: { generation: 1, runsExecuted: 1 } });
  });

  it('FLT-15 uses an ordinary activity if a repeated task might take another path: after a local call', async () => {
    const journey = counting({ name: 'making', startAt: far }).replace(
      '  start: plan\n  states:',
      '  start: read\n  states:\n    read: { type: task, task: { kind: httpCall:v1, method: GET, url: "http://service.test/", resultVar: r }, next: plan }',
    );
    const { journeyId, phase } = await rigged.start(journey, { user: 'read', n: 0 });
    expect(phase).toBe('SUCCEEDED');
    expect(await creationEvents(rigged, journeyId)).toMatchObject({ markers: 1, activities: ['schedule'] });
  });

  it('FLT-15 uses an ordinary activity if a repeated task might take another path: after a submission', async () => {
    const journey = counting({ name: 'making', startAt: far }).replace(
      '  start: plan\n  states:',
      '  start: agree\n  states:\n    agree: { type: wait, wait: { channel: manual, input: { schema: {} } }, next: plan }',
    );
    const { journeyId } = await rigged.start(journey, { user: 'agreed', n: 0 });
    expect(
      await rigged.runs.submit({ id: journeyId, stepId: 'agree', payload: {}, caller: 'test', headers: {} }),
    ).toMatchObject({
      phase: 'SUCCEEDED',
    });
    expect(await creationEvents(rigged, journeyId)).toMatchObject({ markers: 0, activities: ['schedule'] });
  });
});
