import type { WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import type { Json } from '../../src/base/json/value.js';
import { pipelineText } from '../../src/cli/pipeline/pipeline-text.js';
import { maintainPipelines } from '../../src/temporal/pipelines/revive-pipelines.js';
import { TemporalPipelines } from '../../src/temporal/pipelines/temporal-pipelines.js';
import { eventually } from '../support/eventually.js';
import { fetching, handling, lineOf, PipelineRig, patience, ticking } from './support/pipelines.js';
import { rig } from './support/rig.js';

let rigged: PipelineRig;
let call = async (): Promise<Json> => ({ ok: true, status: 200, headers: {}, body: {} });
beforeAll(async () => {
  rigged = new PipelineRig(
    await rig({
      activities: asActivities({ http: async () => await call() }),
      env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '150', JOURNEYMAN_PIPELINES_WATCH_SEC: '2' },
    }),
  );
});
afterAll(() => rigged.rig.stop());

/** The executions in Temporal's list; waits until it has so many, because a new one appears a moment later. */
async function listed(query: string, count = 1): Promise<WorkflowExecutionInfo[]> {
  const list = async () => {
    const found = [];
    for await (const it of rigged.rig.client.workflow.list({ query })) found.push(it);
    return found;
  };
  return await eventually(list, (found) => found.length >= count);
}

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

describe('changes with Temporal’s own tools', () => {
  it('a terminated pipeline continues with all its events', async () => {
    await rigged.deploy(lineOf('ended'));
    await rigged.pipelines.pause('ended', 'hold');
    for (const id of ['a', 'b']) await rigged.publish('ended', id);
    await rigged.entity('ended').terminate('by mistake');
    expect(await rigged.pipelines.show('ended')).toMatchObject({ status: 'ended', topics: { orders: { pending: 2 } } });
    expect((await rigged.pipelines.show('ended')).ended).toContain('by mistake');
    await rigged.publish('ended', 'c');
    await rigged.pipelines.resume('ended');
    const shown = await rigged.committed('ended', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
  });

  it('signals received without a worker survive a termination; the run continues', async () => {
    await rigged.deploy(lineOf('unheard'), [handling('handle', { wait: 'PT3S' })]);
    await rigged.publish('unheard', 'a');
    await rigged.until('unheard', ({ active }) => active !== undefined);
    await rigged.rig.restartWorker({ worker: false });
    await rigged.entity('unheard').signal('publish', { topic: 'orders', id: 'b', payload: { id: 'b' } });
    await rigged.entity('unheard').terminate('now');
    await rigged.rig.restartWorker();
    await rigged.deploy(lineOf('unheard'), [handling('handle', { wait: 'PT3S' })]);
    const shown = await rigged.committed('unheard', 2);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'b' }, { seen: 'a' }]);
    expect(shown.counts.begun).toBe(2);
  });

  it('a pipeline terminated between continue-as-new and its next run starts that run', async () => {
    await rigged.deploy(lineOf('worn'));
    await rigged.rig.restartWorker({ worker: false });
    // More than one execution accepts. Repetitions of an id are one event.
    for (let i = 0; i < 160; i += 1)
      await rigged.entity('worn').signal('publish', { topic: 'orders', id: 'a', payload: { id: 'a' } });
    await rigged.entity('worn').terminate('now');
    await rigged.rig.restartWorker();
    await rigged.deploy(lineOf('worn'));
    expect(await rigged.committed('worn', 1)).toMatchObject({ status: 'running', suspended: [], counts: { begun: 1 } });
  });

  it('maintenance restarts a terminated pipeline and recreates its Schedules', async () => {
    const { client, config } = rigged.rig;
    await rigged.deploy(lineOf('tidied', { producers: ticking('{ cron: "0 9 * * *" }') }), [
      handling('handle'),
      fetching,
    ]);
    await rigged.entity('tidied').terminate();
    await client.schedule.getHandle('pipeline.tidied.poll').delete();
    await maintainPipelines(client, config.temporal.taskQueue);
    const shown = await rigged.pipelines.show('tidied');
    // A cron without a zone is in UTC, and is reported as such (SCH-K2, SCH-K12).
    expect(shown).toMatchObject({
      status: 'running',
      producers: { poll: { drift: [], cadence: 'every day at 09:00 UTC' } },
    });
    expect(shown.producers.poll!.nextRunAt).toMatch(/T09:00:00.000Z$/);
  });

  it('a tick restarts a terminated pipeline', async () => {
    await rigged.deploy(lineOf('woken', { producers: ticking('{ interval: PT2S }') }), [handling('handle'), fetching]);
    await rigged.until('woken', ({ counts }) => counts.committed >= 1);
    await rigged.entity('woken').terminate();
    await rigged.until('woken', ({ status, counts }) => status === 'running' && counts.committed >= 5);
    await rigged.pipelines.pause('woken', 'enough');
  });

  it('a terminated or cancelled journey suspends its run until an operator resolves it (R4-30, SCH-K1)', async () => {
    await rigged.deploy(lineOf('cut'), [handling('handle', { wait: 'PT1H' })]);
    await rigged.publish('cut', 'a');
    for (const [end, how] of [
      ['terminate', 'did_not_happen'],
      ['cancel', 'retry'],
      ['terminate', 'skip'],
    ] as const) {
      const { active } = await rigged.until('cut', (it) => it.active !== undefined);
      const [running] = await listed(`JourneyTags = 'pipelineName=cut' AND ExecutionStatus = 'Running'`);
      await rigged.rig.client.workflow.getHandle(running!.workflowId)[end]();
      const shown = await rigged.until('cut', ({ suspended }) => suspended.length > 0);
      expect(shown).toMatchObject({ status: 'paused', topics: { orders: { reserved: 1 } } });
      expect(shown.suspended[0]!.run).toBe(active!.run);
      await expect(rigged.pipelines.resume('cut')).rejects.toMatchObject({ problem: { code: 'PIPELINE_UNRESOLVED' } });
      expect(pipelineText(shown)).toMatch(/Runs +0 committed, 0 failed, 1 suspended/);
      expect(pipelineText(shown)).toContain(`journeyman run history ${shown.suspended[0]!.journeyId}`);
      await rigged.pipelines.resolve('cut', shown.suspended[0]!.run, how);
    }
    const shown = await rigged.pipelines.show('cut');
    expect(shown).toMatchObject({
      topics: { orders: { pending: 0, reserved: 0 } },
      counts: { suspended: 3, committed: 0 },
    });
    expect(pipelineText(shown)).toMatch(/Runs +0 committed, 0 failed, 0 suspended/);
    const { items } = await rigged.pipelines.events('cut', 'orders', { pageSize: 10 });
    expect(items).toMatchObject([{ id: 'a', status: 'skipped' }]);
  });

  it('a journey with a repeatedly failing activity is shown with its id and last error', async () => {
    const posting = handling('handle').replace(
      'decide:',
      'post: { type: task, task: { kind: "httpCall:v1", method: POST, url: "http://shop.test", body: { n: 1 }, resultVar: r }, next: decide }\n    decide:',
    );
    const answers = call;
    call = () => Promise.reject(new Error('The disk is full.'));
    await rigged.deploy(lineOf('stuck'), [posting.replace('start: decide', 'start: post')]);
    await rigged.publish('stuck', 'a');
    const shown = await rigged.until('stuck', ({ active }) => (active?.retries?.[0]?.attempt ?? 0) > 1);
    expect(shown.active!.retries).toMatchObject([{ activity: 'http', reason: 'The disk is full.' }]);
    expect(pipelineText(shown)).toMatch(/\nRetrying +http, attempt \d+: The disk is full\.\n/);
    const { journeyId } = shown.active!;
    expect(pipelineText(shown)).toContain(` ${journeyId}\n`);
    call = answers;
    const { runs } = await rigged.committed('stuck', 1);
    expect(runs[0]!.journeyId).toBe(journeyId);
  });

  it('a reset pipeline keeps its state and runs nothing twice', async () => {
    await rigged.deploy(lineOf('reset'), [handling('handle', { wait: 'PT1S' })]);
    await rigged.publish('reset', 'a');
    await rigged.committed('reset', 1);
    await rigged.publish('reset', 'b');
    await rigged.until('reset', ({ active }) => active !== undefined);
    const { client } = rigged.rig;
    await rigged.reset('pipeline.reset', 4, { reapply: false });
    await rigged.publish('reset', 'c');
    const shown = await rigged.committed('reset', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
    const runs = client.workflow.list({ query: `JourneyTags = 'pipelineName=reset'` });
    const ids = [];
    for await (const { workflowId } of runs) ids.push(workflowId);
    expect(ids).toHaveLength(3);
  });

  it('a busy pipeline survives repeated resets without a manual decision', async () => {
    await rigged.deploy(lineOf('pressed'));
    const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
    for (const id of ids) await rigged.entity('pressed').signal('publish', { topic: 'orders', id, payload: { id } });
    for (let seen = 4; seen <= 28; seen += 4) {
      await rigged.until('pressed', ({ counts }) => counts.committed >= seen);
      await rigged.reset('pipeline.pressed', 4, { reapply: false });
    }
    const { status, suspended, counts } = await rigged.committed('pressed', ids.length);
    expect({ status, suspended, begun: counts.begun }).toEqual({ status: 'running', suspended: [], begun: 40 });
  });

  it('a pipeline ignores signals that a reset reapplies', async () => {
    const text = lineOf('told', { producers: ticking('{ interval: 1h }') });
    await rigged.deploy(text, [handling('handle'), fetching]);
    await rigged.publish('told', 'a');
    await rigged.committed('told', 1);
    await rigged.pipelines.trigger('told', 'poll', 'one');
    await rigged.committed('told', 3);
    await rigged.entity('told').signal('trigger', 'poll');
    await rigged.committed('told', 5);
    await rigged.pipelines.resume('told');
    await rigged.publish('told', 'b', { id: 'b', fails: true });
    await rigged.until('told', ({ pauses }) => pauses.length > 0);
    await rigged.reset('pipeline.told');
    const shown = await rigged.until('told', ({ notes }) => notes.some(({ text: it }) => it.includes('reset')));
    expect(shown).toMatchObject({ status: 'paused', counts: { committed: 5, failed: 1 } });
    await rigged.pipelines.trigger('told', 'poll', 'two');
    expect(await rigged.committed('told', 6)).toMatchObject({ counts: { failed: 1 } });
  });

  it('an unreadable signal is rejected without effect', async () => {
    await rigged.deploy(lineOf('garbled'));
    const { client } = rigged.rig;
    const payloads = ['binary/unknown', 'json/plain'].map((encoding) => ({
      metadata: { encoding: Buffer.from(encoding) },
      data: Buffer.from('{"not'),
    }));
    for (const [i, payload] of payloads.entries())
      await client.workflowService.signalWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId: 'pipeline.garbled' },
        signalName: ['publish', 'resolve'][i]!,
        input: { payloads: [payload] },
      });
    await rigged.publish('garbled', 'a');
    const { notes } = await rigged.committed('garbled', 1);
    expect(notes).toHaveLength(2);
    expect(notes[0]!.text).toContain('PIPELINE_MESSAGE_INVALID');
  });

  it('a pipeline awaits a journey that was reset', async () => {
    await rigged.deploy(lineOf('again'), [handling('handle', { wait: 'PT4S' })]);
    await rigged.publish('again', 'a');
    await rigged.until('again', (it) => it.active !== undefined);
    const { client } = rigged.rig;
    const [child] = await listed(`JourneyTags = 'pipelineName=again'`);
    // Its first task is complete when its timer runs.
    const describe = () => client.workflow.getHandle(child!.workflowId).describe();
    await eventually(describe, ({ historyLength }) => historyLength >= 5, { pauseMs: 50 });
    await rigged.reset(child!.workflowId);
    const shown = await rigged.committed('again', 1);
    expect(shown.counts).toMatchObject({ suspended: 0, begun: 1 });
  });

  it('a producer’s Schedule that is triggered, paused or deleted is detected, reported and repaired', async () => {
    const text = lineOf('touched', { producers: ticking('{ interval: 1h }') });
    const journeys = [handling('handle'), fetching];
    await rigged.deploy(text, journeys);
    const schedule = rigged.rig.client.schedule.getHandle('pipeline.touched.poll');
    await rigged.pipelines.pause('touched', 'hold');
    // A manual trigger runs even if the pipeline is paused (R4-08, R4-26).
    await schedule.trigger();
    const triggered = await rigged.committed('touched', 1);
    expect(triggered.runs[0]).toMatchObject({ handler: 'poll', trigger: 'manual' });
    await rigged.pipelines.resume('touched');
    await schedule.pause('not now');
    const paused = await rigged.until('touched', ({ producers }) => producers.poll!.drift.length > 0);
    expect(paused.producers.poll).toMatchObject({ nextRunAt: null, drift: ['Its Schedule is paused: not now'] });
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: [] });
    await schedule.delete();
    const gone = await rigged.until(
      'touched',
      ({ producers }) => producers.poll!.drift[0]?.includes('does not exist') === true,
    );
    expect(gone.producers.poll!.nextRunAt).toBeNull();
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: ['poll'] });
    expect((await rigged.pipelines.show('touched')).producers.poll).toMatchObject({ drift: [], cadence: 'every hour' });
  });

  it('a producer’s Schedule that is rewritten or backfilled is reported and repaired, and no occurrence runs twice', async () => {
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
    const taken = async () => (await schedule.describe()).info.numActionsTaken;
    await eventually(taken, (count) => count !== info.numActionsTaken);
    await schedule.unpause();
    // Known times have no effect; new ones are skipped because it is paused.
    const later = await rigged.until('rewritten', ({ producers }) => {
      return (producers.poll!.skipped?.slot ?? '') > (known.poll!.skipped?.slot ?? '');
    });
    expect(later.counts).toEqual(counts);
    // Like `temporal schedule update`: omitted values are lost.
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
    expect(rewritten.producers.poll!.drift[0]).toContain('was rewritten outside Journeyman');
    expect(await rigged.deploy(text, journeys)).toMatchObject({ result: 'unchanged', schedules: ['poll'] });
    expect((await rigged.pipelines.show('rewritten')).producers.poll!.drift).toEqual([]);
  });

  it('a terminated or cancelled tick skips its occurrence only; a reset one has no effect', async () => {
    const { client, config } = rigged.rig;
    await rigged.deploy(lineOf('untold', { producers: ticking('{ interval: 1h }') }), [handling('handle'), fetching]);
    const hour = 3_600_000;
    const slot = Math.floor(Date.now() / hour) * hour;
    const tick = (workflowId: string, at: number) =>
      client.workflow.start('journeyman.tick', {
        workflowId,
        taskQueue: config.temporal.taskQueue,
        args: [{ pipeline: 'untold', producer: 'poll', schedule: { interval: '1h' } }],
        typedSearchAttributes: [{ key: scheduledStart, value: new Date(at) }],
      });
    // No worker runs, so they have not sent anything yet.
    await rigged.rig.restartWorker({ worker: false });
    await (await tick('untold-1', slot - 2 * hour)).terminate('by mistake');
    const cancelled = await tick('untold-2', slot - hour);
    await cancelled.cancel();
    await rigged.rig.restartWorker();
    await expect(cancelled.result()).rejects.toThrow();
    expect((await cancelled.describe()).status.name).toBe('CANCELLED');
    await (await tick('untold-3', slot)).result();
    const ran = [
      ['work', undefined],
      ['poll', new Date(slot).toISOString()],
    ];
    const shown = await rigged.committed('untold', 2);
    expect(shown.runs.map(({ handler, slot: at }) => [handler, at])).toEqual(ran);
    await rigged.reset('untold-3');
    expect(await client.workflow.getHandle('untold-3').result()).toContain('poll is due');
    await rigged.publish('untold', 'after');
    const later = await rigged.committed('untold', 3);
    expect(later.runs.slice(1).map(({ handler, slot: at }) => [handler, at])).toEqual(ran);
  });

  it('the tick of a triggered Schedule can be reset; the producer runs once', async () => {
    const { client } = rigged.rig;
    await rigged.deploy(lineOf('nudged', { producers: ticking('{ interval: 1h }') }), [handling('handle'), fetching]);
    await client.schedule.getHandle('pipeline.nudged.poll').trigger();
    const { runs } = await rigged.committed('nudged', 2);
    expect(runs[1]).toMatchObject({ handler: 'poll', trigger: 'manual' });
    const { info } = await client.schedule.getHandle('pipeline.nudged.poll').describe();
    const { workflowId } = info.recentActions[0]!.action.workflow;
    await rigged.reset(workflowId);
    await client.workflow.getHandle(workflowId).result();
    await rigged.publish('nudged', 'after');
    expect((await rigged.committed('nudged', 3)).runs.map(({ handler }) => handler)).toEqual(['work', 'work', 'poll']);
  });

  it('if a pipeline and its journeys are terminated at once, the event stays reserved until an operator resolves it', async () => {
    const { client } = rigged.rig;
    await rigged.deploy(lineOf('razed'), [handling('handle', { wait: 'PT1H' })]);
    for (const id of ['a', 'b']) await rigged.publish('razed', id);
    const { active } = await rigged.until('razed', (it) => it.active !== undefined);
    const [child] = await listed(`JourneyTags = 'pipelineName=razed'`);
    await Promise.all([
      client.workflow.getHandle(child!.workflowId).terminate('all'),
      rigged.entity('razed').terminate('all'),
    ]);
    await rigged.publish('razed', 'c');
    const shown = await rigged.until('razed', ({ suspended }) => suspended.length > 0);
    expect(shown).toMatchObject({
      status: 'paused',
      topics: { orders: { pending: 2, reserved: 1 } },
      suspended: [{ run: active!.run, error: { code: 'RUN_TERMINATED' } }],
    });
  });

  it('a pipeline that is reset twice in a row keeps its state and the signals received in between', async () => {
    await rigged.deploy(lineOf('twice'));
    await rigged.pipelines.pause('twice', 'hold');
    for (const id of ['a', 'b']) await rigged.publish('twice', id);
    await rigged.rig.restartWorker({ worker: false });
    await rigged.reset('pipeline.twice', 4, { reapply: false });
    await rigged.entity('twice').signal('publish', { topic: 'orders', id: 'c', payload: { id: 'c' } });
    await rigged.reset('pipeline.twice', 4, { reapply: false });
    await rigged.rig.restartWorker();
    await rigged.publish('twice', 'd');
    expect(await rigged.pipelines.show('twice')).toMatchObject({
      status: 'paused',
      topics: { orders: { pending: 4 } },
    });
  });

  it('a reset of an earlier execution keeps later events', async () => {
    await rigged.deploy(lineOf('old'));
    await rigged.publish('old', 'a');
    await rigged.committed('old', 1);
    const { runId } = await rigged.entity('old').describe();
    await rigged.entity('old').terminate('by mistake');
    await rigged.pipelines.pause('old', 'hold');
    await rigged.publish('old', 'b');
    await listed(`WorkflowId = 'pipeline.old'`, 2);
    await rigged.reset('pipeline.old', 4, { runId, reapply: false });
    await rigged.publish('old', 'c');
    expect(await rigged.pipelines.show('old')).toMatchObject({ status: 'paused', topics: { orders: { pending: 2 } } });
    await rigged.pipelines.resume('old');
    const shown = await rigged.committed('old', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual([{ seen: 'c' }, { seen: 'b' }, { seen: 'a' }]);
  });

  it.each([
    ['terminate', 'RUN_TERMINATED'],
    ['cancel', 'JOURNEY_CANCELLED'],
  ] as const)(
    'a pipeline that continues as new during a journey detects its end by %s',
    async (end, code) => {
      const { client } = rigged.rig;
      const name = `handed-${end}`;
      await rigged.deploy(lineOf(name), [handling('handle', { wait: 'PT1H' })]);
      await rigged.publish(name, 'a');
      const { active } = await rigged.until(name, (it) => it.active !== undefined);
      const { runId } = await rigged.entity(name).describe();
      // It cannot await the end of the run: its history is three times the limit.
      for (let i = 0; (await rigged.entity(name).describe()).runId === runId; i++)
        await Promise.all([0, 1].map((n) => rigged.publish(name, `e${i}-${n}`)));
      const handed = await rigged.pipelines.show(name);
      expect(handed).toMatchObject({ active: { run: active!.run }, counts: { begun: 1 }, runs: [] });
      for await (const { workflowId } of client.workflow.list({ query: `JourneyTags = 'pipelineName=${name}'` }))
        await client.workflow.getHandle(workflowId)[end]();
      const shown = await rigged.until(name, ({ suspended }) => suspended.length > 0);
      expect(shown.suspended).toMatchObject([{ run: active!.run, error: { code } }]);
      expect(shown).toMatchObject({ counts: { begun: 1, suspended: 1 }, topics: { orders: { reserved: 1 } } });
    },
    120_000 * patience,
  );

  it('missed occurrences cause one recovery run or none, as configured; a repeated tick counts once (SCH-K13)', async () => {
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
    expect(pipelineText(shown)).toContain(`1, last ${shown.producers.late!.skipped!.slot} (missed)`);
  });

  it('signals from the Web UI publish, trigger, pause and resume; invalid ones are reported', async () => {
    await rigged.deploy(lineOf('signalled'));
    await rigged.entity('signalled').signal('pause', 'by form');
    await rigged.entity('signalled').signal('publish', { topic: 'orders', id: 's1', payload: { id: 's1' } });
    await rigged.entity('signalled').signal('publish', { topic: 'orders', id: 's1', payload: { id: 's1' } });
    await rigged.entity('signalled').signal('publish', 'nonsense');
    await rigged.entity('signalled').signal('trigger', 'nobody');
    await rigged.entity('signalled').signal('resume');
    await rigged.entity('signalled').signal('trigger', { handler: 'work' });
    const shown = await rigged.committed('signalled', 1);
    expect(shown.counts.begun).toBe(1);
    const { currentDetails } = await rigged
      .entity('signalled')
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('### Pipeline signalled 1.0.0');
    expect(currentDetails).toContain('`PIPELINE_MESSAGE_INVALID`');
    expect(currentDetails).toContain('`HANDLER_UNKNOWN`');
    // An invalid time, and one in the future.
    for (const slot of [9e15, Date.now() + 86_400_000])
      await rigged.entity('signalled').signal('tick', { producer: 'work', slot });
    const { notes } = await rigged.pipelines.show('signalled');
    expect(notes.map(({ text }) => text).join()).toContain('PIPELINE_MESSAGE_INVALID');
    await rigged.entity('signalled').cancel();
    await rigged.publish('signalled', 's2');
    await rigged.committed('signalled', 2);
  });
});

describe('while workflow tasks fail', () => {
  it(
    'a terminated or reset pipeline loses nothing, however it is restarted, and the cause of its silence is reported',
    async () => {
      const { client } = rigged.rig;
      const gateways = [0, 1].map(() => new TemporalPipelines(client, rigged.rig.config));
      const slow = [handling('handle', { wait: 'PT1S' })];
      const names = ['dumb', 'dumb-reset'];
      const signal = (id: string) =>
        Promise.all(names.map((it) => rigged.entity(it).signal('publish', { topic: 'orders', id, payload: { id } })));
      for (const name of names) {
        await rigged.deploy(lineOf(name), slow);
        for (const id of ['a', 'b']) await rigged.publish(name, id);
        await rigged.until(name, ({ active }) => active !== undefined);
      }
      await rigged.rig.restartWorker({ failing: true });
      await signal('c');
      // After two failures the server stops accepting queries.
      for (const name of names)
        await expect
          .poll(async () => (await rigged.entity(name).describe()).raw.pendingWorkflowTask?.attempt, {
            timeout: 60_000,
          })
          .toBeGreaterThan(2);
      await signal('d');
      await expect(rigged.pipelines.show('dumb')).rejects.toMatchObject({
        problem: {
          code: 'PIPELINE_UNRESPONSIVE',
          detail: expect.stringMatching(
            /^The workflow tasks of the pipeline dumb fail, \d+ times so far: .*another key/,
          ),
        },
      });
      await rigged.entity('dumb').terminate('it hangs');
      await rigged.reset('pipeline.dumb-reset', 4, { reapply: false });
      await rigged.entity('dumb-reset').signal('publish', { topic: 'orders', id: 'f', payload: { id: 'f' } });
      await expect(rigged.pipelines.show('dumb')).rejects.toMatchObject({
        problem: { detail: expect.stringContaining('The pipeline dumb was ended') },
      });
      await rigged.rig.restartWorker();
      // Two gateways notice at the same time.
      const publish = (name: string) =>
        gateways.map((it, i) => it.publish(name, { topic: 'orders', id: `e${i}`, payload: { id: `e${i}` } }));
      for (const answer of await Promise.all(names.flatMap(publish))) expect(answer).toEqual({ result: 'accepted' });
      for (const name of names) {
        const ids = ['a', 'b', 'c', 'd', 'e0', 'e1', ...(name === 'dumb-reset' ? ['f'] : [])];
        const shown = await rigged.committed(name, ids.length);
        const seen = shown.runs.map(({ output }) => (output as { seen: string }).seen).reverse();
        expect(seen.slice(0, 4)).toEqual(ids.slice(0, 4));
        expect([...seen].sort()).toEqual(ids);
        expect(shown.counts).toMatchObject({ begun: ids.length });
        expect(shown.notes.map(({ text }) => text).join()).toContain('Restarted with all its events');
      }
    },
    120_000 * patience,
  );

  it('a pipeline without a worker is reported', async () => {
    const nobody = new PipelineRig(await rig({ worker: false }));
    await nobody.deploy(lineOf('alone'));
    await expect(nobody.pipelines.show('alone')).rejects.toMatchObject({
      problem: {
        code: 'PIPELINE_UNRESPONSIVE',
        detail: expect.stringMatching(/^No worker serves the pipeline alone/),
      },
    });
    await nobody.entity('alone').terminate();
    await nobody.rig.stop();
  });
});
