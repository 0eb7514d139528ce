import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipelineStates } from '../../src/temporal/pipelines/list-pipelines.js';
import { eventually } from '../support/eventually.js';
import { fetching, handling, lineOf, PipelineRig, ticking } from './support/pipelines.js';
import { rig } from './support/rig.js';

let rigged: PipelineRig;
beforeAll(async () => {
  rigged = new PipelineRig(
    await rig({ env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '150', JOURNEYMAN_PIPELINES_WATCH_SEC: '2' } }),
  );
});
afterAll(() => rigged.rig.stop());

describe('a pipeline on Temporal', () => {
  it('consumes events one at a time, in order, and shows their results (R4-09, R4-19, R4-34, R4-35)', async () => {
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
    // No journey started before the previous one had ended.
    const journeys = await Promise.all(
      (await rigged.pipelines.runs('fifo', { pageSize: 3 })).items.map(({ journeyId }) =>
        rigged.rig.client.workflow.getHandle(journeyId).describe(),
      ),
    );
    const [third, second, first] = journeys;
    expect(second!.startTime.getTime()).toBeGreaterThanOrEqual(first!.closeTime!.getTime());
    expect(third!.startTime.getTime()).toBeGreaterThanOrEqual(second!.closeTime!.getTime());
    // The journey of a pipeline run is an ordinary run.
    const { items: runs } = await rigged.pipelines.runs('fifo', { pageSize: 1 });
    const child = await rigged.rig.runs.status(runs[0]!.journeyId);
    expect(child).toMatchObject({
      journeyName: 'handle',
      phase: 'SUCCEEDED',
      status: { attributes: { pipelineName: 'fifo' } },
    });
  });

  it('accepts 500 events at once, and loses none across continue-as-new', async () => {
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
    const { historyLength, runId, memo, typedSearchAttributes } = await rigged.entity('burst').describe();
    const started = await rigged.entity('burst').fetchHistory();
    expect(started.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId).not.toBe(runId);
    expect(historyLength).toBeLessThan(600);
    expect(memo).toMatchObject({ pipeline: { name: 'burst' } });
    expect(typedSearchAttributes.getAll().map(({ key }) => key.name)).toEqual(
      expect.arrayContaining(['ScheduleKind', 'JourneyTags']),
    );
  });

  it('state survives worker restarts between any two events (R4-34)', async () => {
    await rigged.deploy(lineOf('relived'));
    await rigged.publish('relived', 'a');
    await rigged.committed('relived', 1);
    // Each worker finds an idle pipeline, does one thing, and is replaced.
    for (const id of ['b', 'c']) {
      await rigged.rig.restartWorker();
      await rigged.publish('relived', id);
    }
    const shown = await rigged.committed('relived', 3);
    expect(shown.runs.map(({ output }) => output)).toEqual(['c', 'b', 'a'].map((seen) => ({ seen })));
    await rigged.pipelines.pause('relived', 'hold');
    for (const id of ['d', 'e']) await rigged.publish('relived', id);
    await rigged.rig.restartWorker();
    expect(await rigged.pipelines.show('relived')).toMatchObject({ topics: { orders: { pending: 2, reserved: 0 } } });
  });

  it('runs a producer on schedule, and shows its next run (R4-02, R4-06, R4-32)', async () => {
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

describe('deploying', () => {
  it('is idempotent, applies between runs, and keeps topics with pending events', async () => {
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

  it('GAP-4 a failed run is reported in lists, metrics and by the next deployment, also after a restart', async () => {
    await rigged.deploy(lineOf('halted'));
    await rigged.publish('halted', 'a', { id: 'a', fails: true });
    const { pauses } = await rigged.until('halted', ({ status }) => status === 'paused');
    const [{ text } = { text: '' }] = pauses;
    expect(text).toMatch(
      /^Paused since .+: work failed on the event orders a \(run work-.+\) with BROKEN: It was told to fail\./,
    );
    expect(text).toMatch(/Fix the cause, then run: journeyman pipeline resume halted$/);
    const summary = () => rigged.pipelines.list().then((all) => all.find(({ name }) => name === 'halted'));
    expect(await summary()).toMatchObject({ status: 'paused', pause: { reason: 'failed', text } });
    const changed = lineOf('halted', { version: '1.1.0' });
    expect(await rigged.deploy(changed)).toMatchObject({ result: 'changed', pause: text });
    await rigged.entity('halted').terminate('by hand');
    await rigged.deploy(changed);
    const again = await eventually(summary, (it) => it?.pause !== undefined);
    expect(again).toMatchObject({ status: 'paused', pause: { reason: 'failed', text } });
    expect(await pipelineStates(rigged.rig.client)).toContainEqual({ name: 'halted', state: 'failed' });
    await rigged.pipelines.resume('halted');
    // The event fails again, which causes another pause.
    const other = await eventually(summary, (it) => it?.pause !== undefined && it.pause.text !== text);
    expect(other).toMatchObject({ status: 'paused' });
  });

  it('a removed document pauses only pipelines of the same deployer', async () => {
    await rigged.deploy(lineOf('mine-a'), [handling('handle')], 'me');
    await rigged.deploy(lineOf('mine-b'), [handling('handle')], 'me');
    await rigged.deploy(lineOf('yours'), [handling('handle')], 'you');
    // A new pipeline appears in the list a moment later.
    const removed = await eventually(
      () => rigged.pipelines.removeOthers('me', ['mine-b']),
      (names) => names.length > 0,
    );
    expect(removed).toEqual([{ name: 'mine-a' }]);
    expect(await rigged.pipelines.show('mine-a')).toMatchObject({ status: 'paused', pauses: [{ reason: 'removed' }] });
    for (const name of ['mine-b', 'yours'])
      expect(await rigged.pipelines.show(name)).toMatchObject({ status: 'running' });
    expect(await rigged.deploy(lineOf('mine-a'), [handling('handle')], 'me')).toMatchObject({ result: 'changed' });
    expect(await rigged.pipelines.show('mine-a')).toMatchObject({ status: 'running' });
  });

  it('pipelines run concurrently, and continue from their position when their worker returns (SCH-K5, SCH-K6)', async () => {
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
