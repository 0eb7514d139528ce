import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { readLibrary } from '../../src/library/read-library.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig, startBroken } from './support/rig.js';

const own = `${process.pid}`;

/** Two steps wait at once; one of them has a timeout of an hour. */
const desk = (version: string, more = '') => `
apiVersion: v1
kind: Journey
metadata: { name: desk-${own}, version: ${version}, description: Two decide, tags: [desks] }
spec:
  key: { lang: dataweave, expr: context.order }
  input: { schema: { type: object, required: [order], properties: { order: { type: string } ${more} } } }
  metadata: { bindings: { attributes: { fromPayload: { subjectId: { path: customer } } } } }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: left
            start: approve
            states:
              approve:
                type: wait
                wait:
                  channel: manual
                  input: { schema: { type: object, required: [ok], properties: { ok: { type: boolean } } } }
                  timeoutSec: 3600
                  onTimeout: over
                next: agreed
              agreed: { type: succeed }
              over: { type: succeed }
          - name: right
            start: paid
            states:
              paid:
                type: webhook
                webhook: { input: { schema: { type: object } } }
                next: settled
              settled: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: '{}' }, resultVar: joined }
      next: pause
    pause: { type: timer, timer: { duration: PT1H }, next: done }
    done: { type: succeed }
`;

/** Fails at once with the code in its input. */
const failing = `
apiVersion: v1
kind: Journey
metadata: { name: failing-${own}, version: 1.0.0 }
spec:
  start: which
  states:
    which:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: 'context.fine default false' } }, next: done }]
      default: sold
    sold: { type: fail, errorCode: SOLD_OUT, reason: Nothing is left }
    done: { type: succeed }
`;

/** The same, with a key. */
const order = failing
  .replace('failing', 'order')
  .replace('spec:', 'spec:\n  key: { lang: dataweave, expr: context.id }');

const guarded = `
apiVersion: v1
kind: Journey
metadata: { name: guarded-${own}, version: 1.0.0 }
spec:
  access: { read: { guardRef: never } }
  subjourneys: { never: { start: no-one, states: { no-one: { type: fail, errorCode: CLOSED, reason: Nobody. } } } }
  start: pause
  states:
    pause: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed }
`;

const keys = { root: ['operator'], anna: ['client'], ben: ['client'] } as const;
type Key = keyof typeof keys;
const secretOf = (key: Key) => `jm_${key}_${own}`;

describe('the HTTP API of the console', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-console-'));
    writeFileSync(join(folder, 'desk-1.journey.yaml'), desk('1.0.0'));
    writeFileSync(join(folder, 'desk-2.journey.yaml'), desk('1.1.0', ', note: { type: string }'));
    writeFileSync(join(folder, 'failing.journey.yaml'), failing);
    writeFileSync(join(folder, 'order.journey.yaml'), order);
    writeFileSync(join(folder, 'guarded.journey.yaml'), guarded);
    writeFileSync(join(folder, 'broken.journey.yaml'), 'apiVersion: v1\nkind: Journey\nmetadata: { name: broken }\n');
    rigged = await rig();
    const library = await readLibrary({ specs: folder, catalogue: { overlays: [] } });
    expect(library.brokenFiles().map(({ file }) => file)).toEqual(['broken.journey.yaml']);
    const apiKeys = Object.entries(keys).map(([id, roles]) => ({
      id,
      hash: `sha256:${createHash('sha256')
        .update(secretOf(id as Key))
        .digest('hex')}`,
      roles,
    }));
    gateway = await httpGateway(rigged, library, { JOURNEYMAN_GATEWAY_AUTH_API_KEYS: JSON.stringify(apiKeys) });
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
    rmSync(folder, { recursive: true });
  });

  async function ask(key: Key, path: string, body?: unknown): Promise<{ status: number; body: JsonObject }> {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': secretOf(key), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }
  const items = async (key: Key, path: string) => (await ask(key, path)).body.items as JsonObject[];
  const start = async (key: Key, journey: string, body: JsonObject = {}) =>
    (await ask(key, `/journeys/${journey}-${own}/start`, body)).body;

  it('lists journeys, and shows one with versions, schemas and steps; only operators see its content', async () => {
    expect((await items('anna', '/definitions')).map(({ name }) => name)).toEqual([
      `desk-${own}`,
      `failing-${own}`,
      `guarded-${own}`,
      `order-${own}`,
    ]);
    expect((await items('anna', '/definitions?tag=desks'))[0]).toEqual({
      name: `desk-${own}`,
      kind: 'Journey',
      version: '1.1.0',
      versions: ['1.1.0', '1.0.0'],
      description: 'Two decide',
      tags: ['desks'],
      startMode: 'sync',
      key: { onExisting: 'attach', once: false },
    });
    expect((await ask('anna', '/definitions')).body).not.toHaveProperty('brokenFiles');
    expect((await ask('root', '/definitions')).body.brokenFiles).toMatchObject([{ file: 'broken.journey.yaml' }]);

    const { body: seen } = await ask('anna', `/definitions/desk-${own}`);
    expect(seen).toMatchObject({
      version: '1.1.0',
      inputSchema: { required: ['order'], properties: { note: { type: 'string' } } },
      outputSchema: null,
      steps: [
        { id: 'approve', type: 'wait', from: 'client', schema: { required: ['ok'] }, timeoutSec: 3600 },
        { id: 'paid', type: 'webhook', from: 'callback' },
      ],
    });
    expect(Object.keys(seen)).not.toContain('definition');
    expect(Object.keys(seen)).not.toContain('diagram');
    expect(Object.keys(seen)).not.toContain('source');
    const { body: whole } = await ask('root', `/definitions/desk-${own}?version=1.0.0`);
    expect(whole).toMatchObject({
      version: '1.0.0',
      definition: { start: 'both', states: { done: { type: 'succeed' } } },
      diagram: { graphs: [{ key: '/spec' }] },
      source: { file: 'desk-1.journey.yaml', text: desk('1.0.0') },
    });
    expect(await ask('anna', `/definitions/desk-${own}?version=9.0.0`)).toMatchObject({
      status: 404,
      body: { code: 'JOURNEY_UNKNOWN', hint: 'Its versions are 1.1.0, 1.0.0.' },
    });
    expect(await ask('anna', '/definitions/broken')).toMatchObject({ status: 503, body: { code: 'JOURNEY_BROKEN' } });
  });

  it('compares two versions', async () => {
    expect((await ask('root', `/definitions/desk-${own}/changes`)).body).toEqual({
      name: `desk-${own}`,
      from: '1.0.0',
      to: '1.1.0',
      breaking: false,
      changes: [expect.objectContaining({ code: 'DIFF_INPUT', concerns: 'callers', breaking: false })],
    });
    expect((await ask('root', `/definitions/desk-${own}/changes?from=1.1.0&to=1.0.0`)).body).toMatchObject({
      breaking: true,
    });
    expect((await ask('root', `/definitions/failing-${own}/changes`)).body).toMatchObject({ from: null, changes: [] });
    expect((await ask('anna', `/definitions/desk-${own}/changes`)).status).toBe(403);
  });

  it('lists the open steps of the caller’s runs with their forms until they are submitted', async () => {
    const order = `open-${own}`;
    const run = await start('anna', 'desk', { order, customer: 'c-1' });
    const path = `/steps?journeyName=desk-${own}&subjectId=c-1`;
    await expect.poll(async () => (await items('anna', path)).length).toBe(2);
    const [approve, paid] = (await items('anna', path)) as [JsonObject, JsonObject];
    expect(approve).toMatchObject({
      journeyId: `desk-${own}/${order}`,
      key: order,
      journeyVersion: '1.1.0',
      step: 'approve',
      state: 'approve',
      type: 'wait',
      from: 'client',
      within: 'both#1.left',
      schema: { required: ['ok'] },
      signed: false,
      description: 'Two decide',
      attributes: { subjectId: 'c-1' },
    });
    expect(Date.parse(approve.dueAt as string) - Date.parse(approve.since as string)).toBe(3_600_000);
    expect(paid).toMatchObject({ step: 'paid', from: 'callback', dueAt: null });
    expect(await items('anna', `${path}&step=paid`)).toEqual([paid]);
    expect(await items('anna', `${path}&from=client`)).toEqual([approve]);
    expect(await items('anna', `${path}&dueBefore=2020-01-01T00:00:00Z`)).toEqual([]);
    expect(await items('anna', `${path}&dueBefore=${approve.dueAt}`)).toEqual([]);
    expect(await items('anna', `/steps?key=${order}`)).toEqual([approve, paid]);
    expect(await items('ben', path)).toEqual([]);
    expect(await items('root', path)).toEqual([approve, paid]);
    expect((await ask('anna', `/journeys/counts?key=${order}`)).body).toMatchObject({ total: 1, openSteps: 1 });

    const submit = async ({ href }: JsonObject, body: JsonObject) =>
      (await ask('anna', (href as string).replace('/api/v1', ''), body)).status;
    expect(await submit(approve, { ok: true })).toBe(200);
    expect(await items('anna', path)).toMatchObject([{ step: 'paid' }]);
    expect(await submit(paid, {})).toBe(200);
    // It sleeps now, so it is no longer listed as waiting for a person.
    await expect
      .poll(async () => (await ask('root', `/journeys/counts?key=${order}`)).body)
      .toMatchObject({ total: 1, phases: { RUNNING: 1 }, openSteps: 0, of: null });
    expect(await items('anna', path)).toEqual([]);
    await ask('anna', `/journeys/${encodeURIComponent(run.journeyId as string)}/steps/cancel`, {});
  });

  it('reads a step’s form from the run if its definition is no longer served', async () => {
    const order = `older-${own}`;
    const old = desk('0.9.0').replace('ok: { type: boolean }', 'ok: { type: boolean, description: as it was }');
    const { journeyId } = await rigged.start(old, { order });
    const path = `/steps?key=${order}&step=approve`;
    await expect.poll(async () => (await items('root', path)).length).toBe(1);
    expect((await items('root', path))[0]).toMatchObject({
      journeyVersion: '0.9.0',
      schema: { properties: { ok: { description: 'as it was' } } },
    });
    const { body } = await ask('root', `/journeys/${encodeURIComponent(journeyId)}/definition`);
    expect(body).toMatchObject({ journeyId, version: '0.9.0', current: false, definition: { start: 'both' } });
    expect(body).not.toHaveProperty('source');
    expect((await ask('anna', `/journeys/${encodeURIComponent(journeyId)}/definition`)).status).toBe(403);
    await rigged.runs.cancel(journeyId);
  });

  it('reports whether the definition of a run is the one served', async () => {
    const run = await start('anna', 'failing');
    const { body } = await ask('root', `/journeys/${run.journeyId}/definition`);
    expect(body).toMatchObject({
      version: '1.0.0',
      current: true,
      definition: { start: 'which' },
      source: { file: 'failing.journey.yaml', text: failing },
    });
  });

  it('hides runs with a read guard from clients', async () => {
    await start('anna', 'guarded');
    const path = `journeyName=guarded-${own}`;
    await expect.poll(async () => (await items('root', `/steps?${path}`)).length).toBe(1);
    expect(await items('anna', `/steps?${path}`)).toEqual([]);
    expect((await ask('root', `/journeys/counts?${path}`)).body).toMatchObject({ total: 1, openSteps: 1 });
    expect((await ask('anna', `/journeys/counts?${path}`)).body).toMatchObject({ total: 0, openSteps: 0 });
  });

  it('filters and counts failures by error code, and finds runs by key and time range', async () => {
    const path = `journeyName=failing-${own}`;
    const before = new Date(Date.now() - 1_000).toISOString();
    await Promise.all([start('ben', 'failing'), start('ben', 'failing'), start('ben', 'failing', { fine: true })]);
    const counts = async (key: Key, more = '') => (await ask(key, `/journeys/counts?${path}${more}`)).body;
    await expect
      .poll(() => counts('ben'))
      .toEqual({
        total: 3,
        phases: { RUNNING: 0, SUCCEEDED: 1, FAILED: 2 },
        openSteps: 0,
        failures: [{ code: 'SOLD_OUT', count: 2 }],
        otherFailures: 0,
        of: null,
      });
    expect(await counts('root', '&startedBy=key:ben')).toEqual(await counts('ben'));
    expect(await counts('root', '&startedBy=key:ben&phase=SUCCEEDED')).toMatchObject({ total: 1, failures: [] });
    const failed = await items('ben', `/journeys?${path}&errorCode=SOLD_OUT`);
    expect(failed).toHaveLength(2);
    expect(failed[0]).toMatchObject({ phase: 'FAILED', code: 'SOLD_OUT', currentState: 'sold' });
    expect(Date.parse(failed[0]!.endedAt as string)).toBeGreaterThanOrEqual(Date.parse(failed[0]!.startedAt as string));
    expect(await items('ben', `/journeys?${path}&errorCode=OTHER`)).toEqual([]);
    expect(await items('ben', `/journeys?${path}&endedFrom=${before}`)).toHaveLength(3);
    expect(await items('ben', `/journeys?${path}&endedBefore=${before}`)).toEqual([]);
    expect(await ask('ben', `/journeys?key=a%2Fb`)).toMatchObject({ status: 400, body: { code: 'QUERY_INVALID' } });

    const { body: stats } = await ask('ben', `/definitions/failing-${own}/stats`);
    expect(stats).toMatchObject({
      name: `failing-${own}`,
      runs: 3,
      last: 200,
      phases: { SUCCEEDED: 1, FAILED: 2 },
      failures: [{ code: 'SOLD_OUT', count: 2 }],
    });
    expect(stats.items).toHaveLength(3);
    expect((stats.durationMs as JsonObject).max).toBeGreaterThanOrEqual(
      (stats.durationMs as JsonObject).median as number,
    );
    const { body: edges } = await ask('root', `/definitions/failing-${own}/edges`);
    // Operators see the runs of all callers.
    expect(edges.runs).toBeGreaterThanOrEqual(3);
    expect(edges).toMatchObject({ version: '1.0.0', last: 200, counted: edges.runs });
    expect(edges.edges).toMatchObject({ '/spec#start': edges.runs });
    expect((await ask('ben', `/definitions/failing-${own}/edges`)).status).toBe(403);
    expect((await ask('ben', `/definitions/failing-${own}/stats?last=1`)).body).toMatchObject({ runs: 1, last: 1 });
  });

  it('cancels several runs, by ids or by a bounded filter, and returns a result for each', async () => {
    const customer = `bulk-${own}`;
    const runs = await Promise.all(
      ['a', 'b', 'c'].map(
        async (it) => (await start('anna', 'desk', { order: `${customer}-${it}`, customer })).journeyId,
      ),
    );
    expect((await ask('anna', '/journeys/bulk/cancel', { ids: runs })).status).toBe(403);
    const list = `/journeys?subjectId=${customer}&phase=RUNNING`;
    await expect.poll(async () => (await items('root', list)).length).toBe(3);
    const byId = await ask('root', '/journeys/bulk/cancel', { ids: [runs[0], 'nothingOfThisName'] });
    expect(byId).toMatchObject({
      status: 200,
      body: {
        items: [
          { journeyId: runs[0], changed: true, phase: 'FAILED' },
          { journeyId: 'nothingOfThisName', changed: false, problem: { code: 'RUN_UNKNOWN', status: 404 } },
        ],
        more: false,
      },
    });
    await expect.poll(async () => (await items('root', list)).length).toBe(2);
    const some = await ask('root', '/journeys/bulk/cancel', { filter: { subjectId: customer }, limit: 1 });
    expect(some.body).toMatchObject({ items: [{ changed: true, phase: 'FAILED' }], more: true });
    await expect.poll(async () => (await items('root', list)).length).toBe(1);
    const rest = await ask('root', '/journeys/bulk/cancel', { filter: { subjectId: customer }, limit: 100 });
    expect(rest.body).toMatchObject({ items: [{ changed: true }], more: false });
    await expect
      .poll(async () => (await ask('root', `/journeys/counts?subjectId=${customer}`)).body)
      .toMatchObject({ failures: [{ code: 'JOURNEY_CANCELLED', count: 3 }] });
  });

  it.each([
    [{}, '/filter'],
    [{ filter: {}, limit: 5 }, '/filter'],
    [{ filter: { journeyName: 'x' } }, '/limit'],
    [{ filter: { journeyName: 'x' }, limit: 101 }, '/limit'],
    [{ filter: { journeyNam: 'x' }, limit: 1 }, '/filter/journeyNam'],
    [{ filter: { phase: 'RUNNING' }, limit: 1 }, '/filter/phase'],
    [{ filter: { tag: [1] }, limit: 1 }, '/filter/tag'],
    [{ ids: [] }, '/ids'],
    [{ ids: [1] }, '/ids'],
    [{ ids: ['a'], limit: 1 }, '/ids'],
    [{ ids: ['a'], other: 1 }, '/other'],
  ])('rejects a bulk operation with %j', async (body, pointer) => {
    for (const verb of ['cancel', 'retry'])
      expect(await ask('root', `/journeys/bulk/${verb}`, body)).toMatchObject({
        status: 400,
        body: { code: 'INPUT_INVALID', pointer },
      });
  });

  it('retries several failed runs, or one with an edited context', async () => {
    const path = `journeyName=failing-${own}&startedBy=key:anna`;
    const { journeyId } = await start('anna', 'failing', { note: 'first' });
    await expect.poll(async () => (await items('root', `/journeys?${path}&phase=FAILED`)).length).toBeGreaterThan(0);
    const { body } = await ask('root', '/journeys/bulk/retry', { ids: [journeyId], definition: 'current' });
    const again = (body.items as JsonObject[])[0]!;
    expect(again).toMatchObject({
      journeyId,
      changed: true,
      run: { retryOf: journeyId, state: 'which', repeated: false },
    });
    const repeated = await ask('root', '/journeys/bulk/retry', { ids: [journeyId], definition: 'current' });
    expect((repeated.body.items as JsonObject[])[0]).toMatchObject({
      changed: false,
      run: { journeyId: (again.run as JsonObject).journeyId, repeated: true },
    });

    const retry = async (context: unknown) => await ask('root', `/journeys/${journeyId}/retry`, { context });
    expect(await retry('fine')).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID', pointer: '/context' } });
    const retried = await retry({ note: 'second', fine: true });
    expect(retried).toMatchObject({ status: 202, body: { retryOf: journeyId, state: 'which', repeated: false } });
    const result = async () => await ask('anna', `/journeys/${retried.body.journeyId}/result`);
    await expect
      .poll(async () => (await result()).body)
      .toMatchObject({ phase: 'SUCCEEDED', attributes: { retryOf: journeyId } });
    expect(await retry({ note: 'second', fine: true })).toMatchObject({
      body: { journeyId: retried.body.journeyId, repeated: true },
    });
    const other = await retry({ note: 'third' });
    expect(other.body).toMatchObject({ repeated: false });
    expect(other.body.journeyId).not.toBe(retried.body.journeyId);
  });

  it('skips runs in a bulk retry that were already rerun by any caller in any way', async () => {
    const bulk = async (journeyId: unknown): Promise<JsonObject> => {
      const { body } = await ask('root', '/journeys/bulk/retry', { ids: [journeyId] });
      return (body.items as JsonObject[])[0]!;
    };
    const reruns = async (of: unknown) => await items('root', `/journeys?attributes.retryOf=${of}`);
    const fails = async (context: JsonObject) => {
      const { journeyId } = await start('anna', 'order', context);
      await expect
        .poll(async () => (await ask('root', `/journeys/${encodeURIComponent(String(journeyId))}`)).body)
        .toMatchObject({ phase: 'FAILED' });
      return encodeURIComponent(String(journeyId));
    };
    const mended = await fails({ id: 'mended' });
    const { body: retried } = await ask('root', `/journeys/${mended}/retry`, { context: { fine: true } });
    await expect.poll(() => reruns(mended)).toMatchObject([{ phase: 'SUCCEEDED' }]);
    const run = { journeyId: retried.journeyId, retryOf: decodeURIComponent(mended), repeated: true };
    expect(await bulk(decodeURIComponent(mended))).toMatchObject({ changed: false, reason: 'RERUN_EXISTS', run });
    // A rerun that fails, and a reset, are reruns too.
    const reset = await fails({ id: 'reset' });
    const { body: again } = await ask('root', `/journeys/${reset}/reset`, { state: 'which' });
    await expect.poll(() => reruns(reset)).toMatchObject([{ journeyId: again.journeyId, phase: 'FAILED' }]);
    expect(await bulk(decodeURIComponent(reset))).toMatchObject({
      changed: false,
      reason: 'RERUN_EXISTS',
      run: { journeyId: again.journeyId },
    });
    // A later run of the same key has no rerun yet.
    expect(await fails({ id: 'reset' })).toBe(reset);
    expect(await bulk(decodeURIComponent(reset))).toMatchObject({ changed: true, run: { repeated: false } });
  });

  it('shows operators what needs attention, and clients only their own runs', async () => {
    const blocked = await startBroken(rigged);
    await start('ben', 'failing');
    const attention = async (key: Key) => (await ask(key, '/attention')).body;
    await expect.poll(() => attention('ben')).toMatchObject({ failed: { failures: [{ code: 'SOLD_OUT' }] } });
    const mine = await attention('ben');
    expect(Object.keys(mine).sort()).toEqual(['at', 'failed', 'openSteps']);
    const all = await attention('root');
    expect(all).toMatchObject({ documents: [{ file: 'broken.journey.yaml' }], pipelines: [], unavailable: [] });
    expect((all.failed as JsonObject).count).toBeGreaterThanOrEqual((mine.failed as JsonObject).count as number);
    await expect
      .poll(async () => (await attention('root')).blockedRuns, { timeout: 60_000, interval: 1_000 })
      .toContainEqual({ journeyId: blocked.workflowId, journeyName: 'journey', attempt: expect.any(Number) });
    await blocked.terminate();
  });
});
