import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { RunTrail, TrailEntry, TrailVisit } from '../../src/service/run-trail.js';
import { TemporalRuns } from '../../src/temporal/runs/temporal-runs.js';
import { type Rig, rig } from './support/rig.js';

const call = (url: string, more = '') =>
  `{ type: task, task: { kind: "httpCall:v1", method: POST, url: "http://shop.test/${url}", body: { json: {} }, resultVar: got }${more} }`;

/** Branches with a subjourney, a map, a loop, a timer, a wait and calls. */
const rich = `
apiVersion: v1
kind: Journey
metadata: { name: rich, version: 1.0.0 }
spec:
  start: both
  subjourneys:
    inner:
      start: made
      states:
        made: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ id: uuid() }' }, target: { kind: var }, resultVar: made }, next: end }
        end: { type: succeed, outputVar: made }
  states:
    both:
      type: parallel
      parallel:
        branches:
          - { name: left, start: ask, states: { ask: ${call('left', ', next: end')}, end: { type: succeed } } }
          - { name: right, start: nap, states: { nap: { type: timer, timer: { duration: PT0.2S }, next: end }, end: { type: succeed } } }
        join: { strategy: allOf }
      next: sub
    sub: { type: subjourney, subjourney: { ref: inner, resultVar: sub }, next: each }
    each:
      type: map
      map:
        items: { lang: dataweave, expr: '[1, 2, 3]' }
        maxConcurrency: 2
        start: send
        states: { send: ${call('item/${item}', ', next: end')}, end: { type: succeed } }
        resultVar: sent
      next: count
    count: { type: transform, transform: { mapper: { lang: dataweave, expr: '(context.n default 0) + 1' }, target: { kind: var }, resultVar: n }, next: again }
    again: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: 'context.n < 3' } }, next: count }], default: approve }
    approve:
      type: wait
      wait: { channel: manual, input: { schema: { type: object } }, timeoutSec: 3600, onTimeout: done }
      next: done
    done: { type: succeed, outputVar: sub }
`;

describe('the trail of a run', () => {
  let rigged: Rig;
  let status = 200;
  beforeAll(async () => {
    const http = async (input: Json): Promise<Json> => {
      const { url } = input as { url: string };
      return { ok: status < 400, status, headers: { 'set-cookie': 'a=secret' }, body: { url } };
    };
    rigged = await rig({ activities: asActivities({ http }) });
  });
  afterAll(() => rigged.stop());

  const whole = async (id: string): Promise<RunTrail> => await rigged.runs.trail(id, { pageSize: 1_000 });
  const visits = ({ entries }: Pick<RunTrail, 'entries'>) =>
    entries.filter((it): it is TrailEntry & TrailVisit => it.kind === 'visit');
  const places = (trail: RunTrail) => visits(trail).map(({ within, state }) => `${within ? `${within}/` : ''}${state}`);
  const ended = async (id: string) => {
    await rigged.client.workflow
      .getHandle(id)
      .result()
      .catch(() => undefined);
    return await whole(id);
  };
  const submit = (id: string, stepId: string, payload: Json) =>
    rigged.runs.submit({ id, caller: 'test', stepId, payload, headers: {} });

  it('shows branches, a subjourney, a map, a loop, a timer and a submission, during the run and afterwards', async () => {
    const { journeyId: id } = await rigged.start(rich);
    await expect.poll(async () => (await rigged.runs.status(id)).steps).toEqual(['approve']);
    const open = await whole(id);
    expect(open).toMatchObject({ phase: 'RUNNING', complete: true, journeyName: 'rich' });
    expect(visits(open).at(-1)).toMatchObject({ state: 'approve', type: 'wait', outcome: 'running', timers: [{}] });
    await submit(id, 'approve', { ok: true });
    const trail = await ended(id);
    expect(trail).toMatchObject({ phase: 'SUCCEEDED', complete: true });
    expect(trail.entries.map(({ n }) => n)).toEqual(trail.entries.map((_, i) => i));
    expect([...places(trail)].sort()).toEqual(
      [
        'both',
        'both#1.left/ask',
        'both#1.left/end',
        'both#1.right/nap',
        'both#1.right/end',
        'sub',
        ...visits(trail).flatMap(({ within, state }) =>
          /^(sub|each)#/.test(within ?? '') ? [`${within}/${state}`] : [],
        ),
        'each',
        ...Array(3).fill('count'),
        ...Array(3).fill('again'),
        'approve',
        'done',
      ].sort(),
    );
    expect(visits(trail).filter(({ within = '' }) => within.startsWith('each#')).length).toBe(6);
    expect(
      visits(trail)
        .filter(({ state }) => state === 'count')
        .map(({ number }) => number),
    ).toEqual([1, 2, 3]);
    expect(visits(trail).find(({ state }) => state === 'approve')).toMatchObject({
      outcome: 'left',
      next: 'done',
      submissions: [{ payload: { ok: true } }],
      timers: [{ cancelledAt: expect.any(String) }],
    });
    expect(visits(trail).find(({ state }) => state === 'nap')).toMatchObject({
      timers: [{ firedAt: expect.any(String) }],
    });
    // Random values are those of the run.
    const outcome = (await rigged.runs.result(id)).outcome;
    const last = trail.entries.at(-1)!;
    expect(last).toMatchObject({ kind: 'ended', output: outcome.output, state: 'done' });
    const { n } = visits(trail).find(({ state }) => state === 'made')!;
    const { before, after } = await rigged.runs.visitContext(id, n);
    expect(before.made).toBeUndefined();
    expect((after!.made as JsonObject).id).toBe((outcome.output as JsonObject).id);
    expect(JSON.stringify(trail)).not.toContain('a=secret');
  });

  it('is paged, and reports changes since a position', async () => {
    const { journeyId: id } = await rigged.start(rich);
    await expect.poll(async () => (await rigged.runs.status(id)).steps).toEqual(['approve']);
    const all = await whole(id);
    const paged: TrailEntry[] = [];
    for (let pageToken: string | undefined, first = true; first || pageToken !== undefined; first = false) {
      const page: RunTrail = await rigged.runs.trail(id, {
        pageSize: 4,
        ...(pageToken !== undefined && { pageToken }),
      });
      expect(page.entries.length).toBeLessThanOrEqual(4);
      paged.push(...page.entries);
      pageToken = page.nextPageToken;
    }
    expect(paged).toEqual(all.entries);
    const after = all.cursor;
    expect((await rigged.runs.trail(id, { pageSize: 100, after })).entries).toEqual([]);
    // A disconnected reader does not wait.
    const gone = new AbortController();
    const left = rigged.runs.trail(id, { pageSize: 100, after, waitMs: 3_600_000, signal: gone.signal });
    gone.abort();
    expect(await left).toMatchObject({ entries: [], phase: 'RUNNING', cursor: after });
    // Ten readers share one poll of the server.
    const waiting = Array.from({ length: 10 }, () => rigged.runs.trail(id, { pageSize: 100, after, waitMs: 20_000 }));
    await submit(id, 'approve', {});
    for (const changed of await Promise.all(waiting))
      expect(visits(changed)[0]).toMatchObject({ state: 'approve', outcome: 'left' });
    await expect(rigged.runs.trail(id, { pageSize: 1, after: 'x' })).rejects.toMatchObject({
      problem: { code: 'QUERY_INVALID' },
    });
  });

  it('is the same if the run continues as new several times', async () => {
    const { journeyId: id } = await rigged.start(rich);
    await expect.poll(async () => (await rigged.runs.status(id)).steps).toEqual(['approve']);
    await submit(id, 'approve', {});
    const usual = await ended(id);
    const short = await rig({
      activities: asActivities({
        http: async (input) => ({ ok: true, status: 200, headers: {}, body: { url: (input as JsonObject).url! } }),
      }),
      env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '20' },
    });
    try {
      const { journeyId } = await short.start(rich);
      await expect.poll(async () => (await short.runs.status(journeyId)).steps).toEqual(['approve']);
      const again = { id: journeyId, caller: 'test', stepId: 'approve', payload: {}, headers: {} };
      await short.runs.submit(again);
      await short.client.workflow.getHandle(journeyId).result();
      const description = await short.client.workflow.getHandle(journeyId).describe();
      expect(description.raw.workflowExecutionInfo?.firstRunId).not.toBe(description.runId);
      const trail = await short.runs.trail(journeyId, { pageSize: 1_000 });
      expect(trail).toMatchObject({ complete: true, phase: 'SUCCEEDED' });
      const named = (it: RunTrail) =>
        visits(it).map(({ id: name, outcome, next = '' }) => `${name} ${outcome} ${next}`);
      expect([...named(trail)].sort()).toEqual([...named(usual)].sort());
      // Another gateway returns the same.
      const fresh = await new TemporalRuns(short.client, short.config).trail(journeyId, { pageSize: 1_000 });
      expect(fresh).toEqual(trail);
    } finally {
      await short.stop();
    }
  });

  const failing = `
apiVersion: v1
kind: Journey
metadata: { name: failing, version: 1.0.0 }
spec:
  start: buy
  compensation:
    mode: sync
    start: refund
    states: { refund: ${call('refund', ', next: end')}, end: { type: succeed } }
  states:
    buy: ${call('buy', ', next: fine')}
    fine: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: 'context.got.ok' } }, next: done }], default: sold }
    done: { type: succeed }
    sold: { type: fail, errorCode: SOLD_OUT, reason: Nothing is left }
`;

  it('of a failed run includes its compensation; its retry has a separate trail', async () => {
    status = 409;
    const { journeyId: id } = await rigged.start(failing);
    const trail = await ended(id);
    status = 200;
    expect(trail).toMatchObject({ phase: 'FAILED', complete: true });
    expect(places(trail)).toEqual(['buy', 'fine', 'sold', 'compensation/refund', 'compensation/end']);
    expect(visits(trail)[2]).toMatchObject({ outcome: 'failed', code: 'SOLD_OUT', reason: 'Nothing is left' });
    expect(visits(trail)[3]).toMatchObject({ calls: [{ outcome: 'answered', status: 409 }] });
    expect(visits(trail)[3]!.visit).toBeUndefined();
    expect(trail.entries.at(-1)).toMatchObject({ kind: 'ended', code: 'SOLD_OUT', state: 'sold' });
    const again = await rigged.runs.rerun({ id, despiteCompensation: true });
    const retried = await ended(again.run.journeyId);
    expect(places(retried)).toEqual(['buy', 'fine', 'done']);
    expect(retried.complete).toBe(true);
  });

  it('covers a cancelled run, a terminated one, and one with an early signal', async () => {
    const asking = rich.replaceAll('rich', 'asking').replace('start: both', 'start: approve');
    const [cancelled, terminated, signalled] = await Promise.all([1, 2, 3].map(() => rigged.start(asking)));
    await rigged.runs.cancel(cancelled!.journeyId);
    const end = await ended(cancelled!.journeyId);
    expect(end).toMatchObject({ phase: 'FAILED', complete: true });
    expect(end.entries.map(({ kind }) => kind)).toEqual(['started', 'visit', 'cancel', 'ended']);
    expect(visits(end)[0]).toMatchObject({ outcome: 'interrupted' });
    await rigged.client.workflow.getHandle(terminated!.journeyId).terminate('by mistake');
    expect((await ended(terminated!.journeyId)).entries.at(-1)).toMatchObject({
      status: 'TERMINATED',
      reason: 'by mistake',
    });
    const handle = rigged.client.workflow.getHandle(signalled!.journeyId);
    await handle.signal('nothing', { a: 1 });
    await handle.signal('approve', { b: 2 });
    const trail = await ended(signalled!.journeyId);
    expect(trail.entries).toContainEqual(
      expect.objectContaining({ kind: 'signal', name: 'nothing', payload: { a: 1 } }),
    );
    expect(visits(trail)[0]).toMatchObject({ submissions: [{ payload: { b: 2 } }], next: 'done' });
  });

  it('of a run with a business key is that of its newest run', async () => {
    const keyed = failing
      .replaceAll('failing', 'keyed')
      .replace('start: buy', "key: { lang: dataweave, expr: 'context.order' }\n  start: buy");
    const { journeyId: id } = await rigged.start(keyed, { order: 'o-1' }, { mode: 'sync' });
    const first = await ended(id);
    await rigged.start(keyed, { order: 'o-1' }, { mode: 'sync' });
    const second = await ended(id);
    expect(second.entries[0]).not.toEqual(first.entries[0]);
    expect(places(second)).toEqual(['buy', 'fine', 'done']);
  });
});
