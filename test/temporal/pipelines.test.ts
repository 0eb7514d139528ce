import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tidyPipelines } from '../../src/temporal/pipelines/maintenance.js';
import { handling, lineOf, PipelineRig } from './support/pipelines.js';
import { rig } from './support/rig.js';

let rigged: PipelineRig;
beforeAll(async () => {
  rigged = new PipelineRig(
    await rig({ env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '150', JOURNEYMAN_PIPELINES_WATCH_SEC: '2' } }),
  );
});
afterAll(() => rigged.rig.stop());

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

function entity(name: string): WorkflowHandle {
  return rigged.rig.client.workflow.getHandle(`pipeline.${name}`);
}

/** A producer with a Schedule. */
const ticking = (schedule: string) => `producers:
    poll: { schedule: ${schedule}, journey: fetch, publishes: [orders], state: 0, input: { mapper: { lang: dataweave, expr: "{ state: state }" } } }`;
const fetching = handling('fetch', {
  output: "{ state: context.state + 1, publish: [{ topic: 'orders', payload: { id: context.state } }] }",
});

describe('a pipeline on Temporal', () => {
  it('takes events one at a time, in their order, and shows what became of them (R4-09, R4-19, R4-34, R4-35)', async () => {
    expect(await rigged.deploy(lineOf('fifo'))).toMatchObject({ result: 'created', schedules: [] });
    for (const id of ['a', 'b', 'c']) expect(await rigged.publish('fifo', id)).toMatchObject({ result: 'accepted' });
    expect(await rigged.publish('fifo', 'a', { id: 'a' })).toEqual({ result: 'duplicate' });
    const shown = await rigged.committed('fifo', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
    expect(shown).toMatchObject({ status: 'running', topics: { orders: { pending: 0, reserved: 0 } } });
    const { items, nextPageToken } = await rigged.pipelines.events('fifo', 'orders', { pageSize: 2 });
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'consumed'],
      ['b', 'consumed'],
    ]);
    const rest = await rigged.pipelines.events('fifo', 'orders', { pageSize: 2, pageToken: nextPageToken! });
    expect(rest).toMatchObject({ items: [{ id: 'c', status: 'consumed' }] });
    // The journey of a run is a run like any other.
    const { items: runs } = await rigged.pipelines.runs('fifo', { pageSize: 1 });
    const child = await rigged.rig.runs.status(runs[0]!.journeyId);
    expect(child).toMatchObject({
      journeyName: 'handle',
      phase: 'SUCCEEDED',
      status: { attributes: { pipelineName: 'fifo' } },
    });
  });

  it('takes 500 events at once, and goes on in fresh executions without losing one', async () => {
    await rigged.deploy(
      lineOf('burst', {
        consumer: 'prepare: { lang: dataweave, expr: "events.orders[0 to (min([24, sizeOf(events.orders) - 1]))]" }',
        more: '',
      }).replace('event.payload', '{ id: sizeOf(events) }'),
    );
    const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => rigged.publish('burst', `e${i}`)));
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(['accepted']));
    const shown = await rigged.until('burst', ({ topics }) => topics.orders!.pending + topics.orders!.reserved === 0);
    const consumed = new Set<string>();
    let pageToken: string | undefined;
    do {
      const page = await rigged.pipelines.events('burst', 'orders', {
        status: 'consumed',
        pageSize: 200,
        ...(pageToken && { pageToken }),
      });
      for (const { id } of page.items) consumed.add(id);
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(consumed.size).toBe(500);
    expect(shown.runs.reduce((sum, { events }) => sum + events, 0)).toBe(500);
    const { historyLength, runId, memo, typedSearchAttributes } = await entity('burst').describe();
    const started = await entity('burst').fetchHistory();
    expect(started.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId).not.toBe(runId);
    expect(historyLength).toBeLessThan(600);
    expect(memo).toMatchObject({ pipeline: { name: 'burst' } });
    expect(typedSearchAttributes.getAll().map(({ key }) => key.name)).toEqual(
      expect.arrayContaining(['ScheduleKind', 'JourneyTags']),
    );
  }, 120_000);

  it('workers that come and go between any two events relive what happened (R4-34)', async () => {
    await rigged.deploy(lineOf('relived'));
    await rigged.publish('relived', 'a');
    await rigged.committed('relived', 1);
    // Each worker finds a pipeline that was quiet, does one thing, and leaves it to the next.
    for (const id of ['b', 'c']) {
      await rigged.rig.restartWorker();
      await rigged.publish('relived', id);
    }
    const shown = await rigged.committed('relived', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual(['c', 'b', 'a'].map((seen) => ({ seen })));
  });

  it('runs a producer at its times, and says when it will run next (R4-02, R4-06, R4-32)', async () => {
    await rigged.deploy(lineOf('ticking', { producers: ticking('{ interval: PT2S }') }), [
      handling('handle'),
      fetching,
    ]);
    const shown = await rigged.until('ticking', ({ counts }) => counts.committed >= 4);
    const { poll } = shown.producers;
    expect(poll!.nextRunAt).toMatch(/[02468]\.000Z$/);
    expect(poll!.cadence).toMatch(/2 seconds/);
    expect(shown.runs.map(({ handler }) => handler)).toEqual(expect.arrayContaining(['poll', 'work']));
    await rigged.pipelines.pause('ticking', 'enough');
    const paused = await rigged.until('ticking', ({ status }) => status === 'paused');
    expect(paused.producers.poll!.nextRunAt).toBeNull();
    expect(paused.pauses).toMatchObject([{ reason: 'user', note: 'enough' }]);
  });
});

describe('what an operator does with Temporal’s own tools', () => {
  it('a pipeline that is terminated goes on with all its events', async () => {
    await rigged.deploy(lineOf('ended'));
    await rigged.pipelines.pause('ended', 'hold');
    for (const id of ['a', 'b']) await rigged.publish('ended', id);
    await entity('ended').terminate('by mistake');
    expect(await rigged.pipelines.show('ended')).toMatchObject({ status: 'ended', topics: { orders: { pending: 2 } } });
    expect((await rigged.pipelines.show('ended')).ended).toContain('by mistake');
    await rigged.publish('ended', 'c');
    await rigged.pipelines.resume('ended');
    const shown = await rigged.committed('ended', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
  });

  it('signals that came while no worker listened survive a termination, and a run goes on', async () => {
    await rigged.deploy(lineOf('unheard'), [handling('handle', { wait: 'PT3S' })]);
    await rigged.publish('unheard', 'a');
    await rigged.until('unheard', ({ active }) => active !== undefined);
    await entity('unheard').signal('publish', { topic: 'orders', id: 'b', payload: { id: 'b' } });
    await entity('unheard').terminate('now');
    await rigged.deploy(lineOf('unheard'), [handling('handle', { wait: 'PT3S' })]);
    const shown = await rigged.committed('unheard', 2);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'b' }, { seen: 'a' }]);
    expect(shown.counts.begun).toBe(2);
  });

  it('maintenance starts a terminated pipeline again, and makes its Schedules anew', async () => {
    const { client, config } = rigged.rig;
    await rigged.deploy(lineOf('tidied', { producers: ticking('{ cron: "0 9 * * *" }') }), [
      handling('handle'),
      fetching,
    ]);
    await entity('tidied').terminate();
    await client.schedule.getHandle('pipeline.tidied.poll').delete();
    await tidyPipelines(client, config.temporal.taskQueue);
    const shown = await rigged.pipelines.show('tidied');
    // A cron without a zone is in UTC, and is said so (SCH-K2, SCH-K12).
    expect(shown).toMatchObject({
      status: 'running',
      producers: { poll: { drift: [], cadence: 'every day at 09:00 UTC' } },
    });
    expect(shown.producers.poll!.nextRunAt).toMatch(/T09:00:00.000Z$/);
  });

  it('a tick starts a terminated pipeline again', async () => {
    await rigged.deploy(lineOf('woken', { producers: ticking('{ interval: PT2S }') }), [handling('handle'), fetching]);
    await rigged.until('woken', ({ counts }) => counts.committed >= 1);
    await entity('woken').terminate();
    await rigged.until('woken', ({ status, counts }) => status === 'running' && counts.committed >= 5);
    await rigged.pipelines.pause('woken', 'enough');
  });

  it('a journey that is terminated or cancelled suspends its run until somebody decides (R4-30, SCH-K1)', async () => {
    await rigged.deploy(lineOf('cut'), [handling('handle', { wait: 'PT1H' })]);
    await rigged.publish('cut', 'a');
    for (const [end, how] of [
      ['terminate', 'did_not_happen'],
      ['cancel', 'retry'],
      ['terminate', 'skip'],
    ] as const) {
      const { active } = await rigged.until('cut', (it) => it.active !== undefined);
      const journeys = rigged.rig.client.workflow.list({
        query: `JourneyTags = 'pipelineName=cut' AND ExecutionStatus = 'Running'`,
      });
      for (let found = false; !found; await sleep(50))
        for await (const { workflowId } of journeys) {
          await rigged.rig.client.workflow.getHandle(workflowId)[end]();
          found = true;
        }
      const shown = await rigged.until('cut', ({ suspended }) => suspended.length > 0);
      expect(shown).toMatchObject({ status: 'paused', topics: { orders: { reserved: 1 } } });
      expect(shown.suspended[0]!.run).toBe(active!.run);
      await expect(rigged.pipelines.resume('cut')).rejects.toMatchObject({ problem: { code: 'PIPELINE_UNRESOLVED' } });
      await rigged.pipelines.resolve('cut', shown.suspended[0]!.run, how);
    }
    const shown = await rigged.pipelines.show('cut');
    expect(shown).toMatchObject({
      topics: { orders: { pending: 0, reserved: 0 } },
      counts: { suspended: 3, committed: 0 },
    });
    const { items } = await rigged.pipelines.events('cut', 'orders', { pageSize: 10 });
    expect(items).toMatchObject([{ id: 'a', status: 'skipped' }]);
  });

  it('a pipeline that is reset forgets nothing and runs nothing twice', async () => {
    await rigged.deploy(lineOf('reset'), [handling('handle', { wait: 'PT1S' })]);
    await rigged.publish('reset', 'a');
    await rigged.committed('reset', 1);
    await rigged.publish('reset', 'b');
    await rigged.until('reset', ({ active }) => active !== undefined);
    const { client } = rigged.rig;
    const { runId } = await entity('reset').describe();
    const { namespace } = client.options;
    await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: 'pipeline.reset', runId },
      reason: 'to see',
      workflowTaskFinishEventId: 4,
      requestId: 'r1',
      // Nothing is told again.
      resetReapplyType: 2,
    } as never);
    await rigged.publish('reset', 'c');
    const shown = await rigged.committed('reset', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
    const runs = client.workflow.list({ query: `JourneyTags = 'pipelineName=reset'` });
    const ids = [];
    for await (const { workflowId } of runs) ids.push(workflowId);
    expect(ids).toHaveLength(3);
  });

  it('a pipeline that is told everything again by a reset does nothing of it again', async () => {
    const text = lineOf('told', { producers: ticking('{ interval: 1h }') });
    await rigged.deploy(text, [handling('handle'), fetching]);
    await rigged.publish('told', 'a');
    await rigged.committed('told', 1);
    await rigged.pipelines.trigger('told', 'poll', 'one');
    await rigged.committed('told', 3);
    await entity('told').signal('trigger', 'poll');
    await rigged.committed('told', 5);
    await rigged.pipelines.resume('told');
    await rigged.publish('told', 'b', { id: 'b', fails: true });
    await rigged.until('told', ({ pauses }) => pauses.length > 0);
    const { client } = rigged.rig;
    const { runId } = await entity('told').describe();
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: 'pipeline.told', runId },
      reason: 'to see',
      workflowTaskFinishEventId: 4,
      requestId: 'r3',
    } as never);
    const shown = await rigged.until('told', ({ notes }) => notes.some(({ text: it }) => it.includes('reset')));
    expect(shown).toMatchObject({ status: 'paused', counts: { committed: 5, failed: 1 } });
    await rigged.pipelines.trigger('told', 'poll', 'two');
    expect(await rigged.committed('told', 6)).toMatchObject({ counts: { failed: 1 } });
  });

  it('a signal that nobody can read is refused, and stops nothing', async () => {
    await rigged.deploy(lineOf('garbled'));
    const { client } = rigged.rig;
    const payloads = ['binary/unknown', 'json/plain'].map((encoding) => ({
      metadata: { encoding: Buffer.from(encoding) },
      data: Buffer.from('{"not'),
    }));
    for (const payload of payloads)
      await client.workflowService.signalWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId: 'pipeline.garbled' },
        signalName: 'publish',
        input: { payloads: [payload] },
      });
    await rigged.publish('garbled', 'a');
    const { notes } = await rigged.committed('garbled', 1);
    expect(notes).toHaveLength(2);
    expect(notes[0]!.text).toContain('PIPELINE_MESSAGE_INVALID');
  });

  it('a journey that is reset is waited for', async () => {
    await rigged.deploy(lineOf('again'), [handling('handle', { wait: 'PT4S' })]);
    await rigged.publish('again', 'a');
    await rigged.until('again', (it) => it.active !== undefined);
    const { client } = rigged.rig;
    let child: { workflowId: string; runId: string } | undefined;
    while (!child)
      for await (const it of client.workflow.list({ query: `JourneyTags = 'pipelineName=again'` })) child = it;
    // Its first task is over when its timer runs.
    while ((await client.workflow.getHandle(child.workflowId).describe()).historyLength < 5) await sleep(20);
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: child,
      reason: 'to see',
      workflowTaskFinishEventId: 4,
      requestId: 'r2',
    } as never);
    const shown = await rigged.committed('again', 1);
    expect(shown.counts).toMatchObject({ suspended: 0, begun: 1 });
  });

  it('a producer’s Schedule that is triggered, paused or deleted: seen, said and repaired', async () => {
    const text = lineOf('touched', { producers: ticking('{ interval: 1h }') });
    const journeys = [handling('handle'), fetching];
    await rigged.deploy(text, journeys);
    const schedule = rigged.rig.client.schedule.getHandle('pipeline.touched.poll');
    await rigged.pipelines.pause('touched', 'hold');
    // A trigger by hand is somebody's wish: it runs although the pipeline is paused (R4-08, R4-26).
    await schedule.trigger();
    const triggered = await rigged.committed('touched', 1);
    expect(triggered.runs[0]).toMatchObject({ handler: 'poll', trigger: 'manual' });
    await rigged.pipelines.resume('touched');
    await schedule.pause('not now');
    const paused = await rigged.until('touched', ({ producers }) => producers.poll!.drift.length > 0);
    expect(paused.producers.poll).toMatchObject({ nextRunAt: null, drift: ['Its Schedule is paused: not now'] });
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: [] });
    await schedule.delete();
    const gone = await rigged.until('touched', ({ producers }) => producers.poll!.drift[0]?.includes('gone') === true);
    expect(gone.producers.poll!.nextRunAt).toBeNull();
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: ['poll'] });
    expect((await rigged.pipelines.show('touched')).producers.poll).toMatchObject({ drift: [], cadence: 'every hour' });
  });

  it('a producer’s Schedule that is rewritten or backfilled: said, repaired, and no time runs twice', async () => {
    const { client } = rigged.rig;
    const text = lineOf('rewritten', { producers: ticking('{ interval: PT2S }') });
    const journeys = [handling('handle'), fetching];
    await rigged.deploy(text, journeys);
    await rigged.until('rewritten', ({ counts }) => counts.committed >= 4);
    await rigged.pipelines.pause('rewritten', 'hold');
    const schedule = client.schedule.getHandle('pipeline.rewritten.poll');
    await schedule.pause();
    const { counts, producers: known } = await rigged.until('rewritten', ({ active }) => active === undefined);
    const { info } = await schedule.describe();
    await schedule.backfill({ start: info.createdAt, end: new Date(), overlap: 'ALLOW_ALL' });
    while ((await schedule.describe()).info.numActionsTaken === info.numActionsTaken) await sleep(100);
    await schedule.unpause();
    // Times that it knows change nothing; new ones are skipped because it is paused.
    const later = await rigged.until('rewritten', ({ producers }) => {
      return (producers.poll!.skipped?.slot ?? '') > (known.poll!.skipped?.slot ?? '');
    });
    expect(later.counts).toEqual(counts);
    // As `temporal schedule update` does it: what is not said is lost.
    const { workflowService, options } = client;
    const { schedule: kept } = await workflowService.describeSchedule({
      namespace: options.namespace,
      scheduleId: 'pipeline.rewritten.poll',
    });
    const { input: _, memo: __, ...action } = kept!.action!.startWorkflow!;
    await workflowService.updateSchedule({
      namespace: options.namespace,
      scheduleId: 'pipeline.rewritten.poll',
      schedule: {
        ...kept!,
        spec: { interval: [{ interval: { seconds: 7200 as never } }] },
        action: { startWorkflow: action },
      },
    });
    const rewritten = await rigged.until('rewritten', ({ producers }) => producers.poll!.drift.length > 0);
    expect(rewritten.producers.poll!.drift[0]).toContain('rewrote its action');
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: ['poll'] });
  });

  it('a tick that is terminated leaves its time without a run, and the next one comes', async () => {
    const { client, config } = rigged.rig;
    await rigged.deploy(lineOf('untold', { producers: ticking('{ interval: 1h }') }), [handling('handle'), fetching]);
    const hour = 3_600_000;
    const slot = Math.floor(Date.now() / hour) * hour;
    const tick = (workflowId: string, at: number, taskQueue: string) =>
      client.workflow.start('journeyman.tick', {
        workflowId,
        taskQueue,
        args: [{ pipeline: 'untold', producer: 'poll', schedule: { interval: '1h' } }],
        typedSearchAttributes: [{ key: scheduledStart, value: new Date(at) }],
      });
    // Nobody works there, so that it has said nothing yet.
    await (await tick('untold-1', slot - hour, 'nobody')).terminate('by mistake');
    await (await tick('untold-2', slot, config.temporal.taskQueue)).result();
    const shown = await rigged.committed('untold', 2);
    expect(shown.runs.map(({ handler, slot: at }) => [handler, at])).toEqual([
      ['work', undefined],
      ['poll', new Date(slot).toISOString()],
    ]);
  });

  it('a pipeline that goes on as a fresh execution while a journey runs sees its end, and its termination', async () => {
    const { client } = rigged.rig;
    await rigged.deploy(lineOf('handed'), [handling('handle', { wait: 'PT1H' })]);
    await rigged.publish('handed', 'a');
    const { active } = await rigged.until('handed', (it) => it.active !== undefined);
    const { runId } = await entity('handed').describe();
    // It cannot wait for the end of the run: its history is three times as long as it should be.
    for (let i = 0; (await entity('handed').describe()).runId === runId; i++)
      await Promise.all([0, 1].map((n) => rigged.publish('handed', `e${i}-${n}`)));
    expect((await rigged.pipelines.show('handed')).active).toMatchObject({ run: active!.run });
    const { items } = await rigged.pipelines.runs('handed', { pageSize: 1 });
    expect(items).toEqual([]);
    for await (const { workflowId } of client.workflow.list({ query: `JourneyTags = 'pipelineName=handed'` }))
      await client.workflow.getHandle(workflowId).terminate('by mistake');
    const shown = await rigged.until('handed', ({ suspended }) => suspended.length > 0);
    expect(shown.suspended[0]).toMatchObject({ run: active!.run, error: { code: 'RUN_TERMINATED' } });
    expect(shown).toMatchObject({ counts: { begun: 1, suspended: 1 }, topics: { orders: { reserved: 1 } } });
  }, 120_000);

  it('missed times: one run on recovery, or none, as the producer says; a tick told twice is one (SCH-K13)', async () => {
    const twice = ticking('{ interval: 1h }')
      .replace(/\n\s+poll: (.*)/, '\n    poll: $1\n    late: $1')
      .replace(/(late: \{ )/, '$1misfire: skip_missed, ');
    await rigged.deploy(lineOf('late', { producers: twice }), [handling('handle'), fetching]);
    const hour = 3_600_000;
    const slot = Math.floor(Date.now() / hour) * hour - hour;
    for (const producer of ['poll', 'late'])
      for (let again = 0; again < 2; again++)
        await rigged.rig.client.workflow.execute('journeyman.tick', {
          workflowId: `tick-${producer}-${again}`,
          taskQueue: rigged.rig.config.temporal.taskQueue,
          args: [{ pipeline: 'late', producer, schedule: { interval: '1h' } }],
          typedSearchAttributes: [{ key: scheduledStart, value: new Date(slot) }],
        });
    const shown = await rigged.committed('late', 2);
    expect(shown.runs.map(({ handler }) => handler)).toEqual(['work', 'poll']);
    expect(shown.runs[1]!.slot).toBe(new Date(slot).toISOString());
    expect(shown.producers.late!.skipped).toMatchObject({ reason: 'missed', count: 1 });
  });

  it('signals from a form: publish, trigger, pause, resume; what cannot be read is said', async () => {
    await rigged.deploy(lineOf('signalled'));
    await entity('signalled').signal('pause', 'by form');
    await entity('signalled').signal('publish', { topic: 'orders', id: 's1', payload: { id: 's1' } });
    await entity('signalled').signal('publish', { topic: 'orders', id: 's1', payload: { id: 's1' } });
    await entity('signalled').signal('publish', 'nonsense');
    await entity('signalled').signal('trigger', 'nobody');
    await entity('signalled').signal('resume');
    await entity('signalled').signal('trigger', { handler: 'work' });
    const shown = await rigged.committed('signalled', 1);
    expect(shown.counts.begun).toBe(1);
    const { currentDetails } = await entity('signalled').query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('### Pipeline signalled 1.0.0');
    expect(currentDetails).toContain('`PIPELINE_MESSAGE_INVALID`');
    expect(currentDetails).toContain('`HANDLER_UNKNOWN`');
    // A time that no clock knows, and one that has not come.
    for (const slot of [9e15, Date.now() + 86_400_000])
      await entity('signalled').signal('tick', { producer: 'work', slot });
    const { notes } = await rigged.pipelines.show('signalled');
    expect(notes.map(({ text }) => text).join()).toContain('PIPELINE_MESSAGE_INVALID');
    await entity('signalled').cancel();
    await rigged.publish('signalled', 's2');
    await rigged.committed('signalled', 2);
  });
});

describe('deploying', () => {
  it('is idempotent, applies between runs, and drops no topic in which events wait', async () => {
    const slow = [handling('handle', { wait: 'PT2S' })];
    const two = lineOf('grown', { version: '1.1.0', topics: ', extra: {}' }).replace(
      'topics: [orders]',
      'topics: [orders, extra]',
    );
    expect(await rigged.deploy(lineOf('grown'), slow)).toMatchObject({ result: 'created' });
    expect(await rigged.deploy(lineOf('grown'), slow)).toMatchObject({ result: 'unchanged' });
    await rigged.publish('grown', 'a');
    await rigged.until('grown', ({ active }) => active !== undefined);
    expect(await rigged.deploy(two, slow)).toMatchObject({ result: 'waiting' });
    await rigged.until('grown', ({ version }) => version === '1.1.0');
    await rigged.pipelines.pause('grown', 'hold');
    await rigged.publish('grown', 'b', { id: 'b' }, 'extra');
    await expect(rigged.deploy(lineOf('grown', { version: '1.2.0' }), slow)).rejects.toMatchObject({
      problem: { code: 'PIPELINE_TOPIC_IN_USE', status: 409 },
    });
    await expect(rigged.publish('grown', 'c', {}, 'lost')).rejects.toMatchObject({
      problem: { code: 'TOPIC_UNKNOWN' },
    });
  });

  it('a document that is gone pauses only what the same deployer deployed', async () => {
    await rigged.deploy(lineOf('mine-a'), [handling('handle')], 'me');
    await rigged.deploy(lineOf('mine-b'), [handling('handle')], 'me');
    await rigged.deploy(lineOf('yours'), [handling('handle')], 'you');
    let removed: string[] = [];
    // The list of pipelines knows a new one a moment later.
    while (removed.length === 0) removed = await rigged.pipelines.removeOthers('me', ['mine-b']);
    expect(removed).toEqual(['mine-a']);
    expect(await rigged.pipelines.show('mine-a')).toMatchObject({ status: 'paused', pauses: [{ reason: 'removed' }] });
    for (const name of ['mine-b', 'yours'])
      expect(await rigged.pipelines.show(name)).toMatchObject({ status: 'running' });
    expect(await rigged.deploy(lineOf('mine-a'), [handling('handle')], 'me')).toMatchObject({ result: 'changed' });
    expect(await rigged.pipelines.show('mine-a')).toMatchObject({ status: 'running' });
  });

  it('a pipeline runs while another does, and goes on where it was when its worker comes back (SCH-K5, SCH-K6)', async () => {
    await rigged.deploy(lineOf('busy'), [handling('handle', { wait: 'PT30S' })]);
    await rigged.deploy(
      lineOf('free', {
        consumer: 'prepare: { lang: dataweave, expr: "if (sizeOf(events.orders) > 2) events.orders else null" }',
      }).replace('event.payload', '{ id: sizeOf(events) }'),
    );
    await rigged.publish('busy', 'a');
    for (const id of ['a', 'b']) await rigged.publish('free', id);
    const asleep = await rigged.until('free', ({ consumers }) => consumers.work!.state === 'sleeping');
    await rigged.rig.restartWorker();
    const same = await rigged.until('free', ({ consumers }) => consumers.work!.state === 'sleeping');
    expect(same.consumers.work!.wakes).toEqual(asleep.consumers.work!.wakes);
    await rigged.publish('free', 'c');
    const shown = await rigged.committed('free', 1);
    expect(shown.runs[0]).toMatchObject({ events: 3, output: { seen: 3 } });
    expect(await rigged.pipelines.show('busy')).toMatchObject({ active: { handler: 'work' } });
  });
});
