import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectJourneys, errorCodeOf, type JourneyClient } from '../../src/app/embed/client.js';
import { type Rig, rig } from './support/rig.js';

/** An order is approved by all of its reviewers, or rejected by one. */
const order = `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.2.0 }
spec:
  key: { expr: context.orderId }
  input: { schema: { type: object, required: [orderId] } }
  start: approve
  states:
    approve:
      type: wait
      wait:
        channel: manual
        input: { schema: { type: object, required: [ok], properties: { ok: { type: boolean } } } }
      next: which
    which: { type: choice, choices: [{ when: context.payload.ok, next: reviews }], default: refused }
    reviews:
      type: map
      map:
        items: '["ada", "kim"]'
        key: item
        start: review
        states:
          review: { type: wait, wait: { channel: manual, input: { schema: true } }, next: reviewed }
          reviewed: { type: succeed }
      next: done
    done: { type: succeed, output: { expr: '{ status: "APPROVED", orderId: context.orderId }' } }
    refused: { type: fail, errorCode: REFUSED, reason: Somebody said no. }
`;

interface Journeys {
  order: {
    input: { orderId: string };
    output: { status: string };
    steps: { approve: { ok: boolean }; review: unknown };
  };
}

describe('connectJourneys: the client of an application', () => {
  let on: Rig;
  let folder: string;
  let journeys: JourneyClient<Journeys>;
  const start = (orderId: string) => journeys.start('order', { orderId });

  beforeAll(async () => {
    on = await rig();
    folder = mkdtempSync(join(tmpdir(), 'journeyman-client-'));
    mkdirSync(join(folder, 'specs'));
    writeFileSync(join(folder, 'specs/order.journey.yaml'), order);
    const temporal = { address: inject('temporalAddress'), taskQueue: on.config.temporal.taskQueue };
    writeFileSync(join(folder, 'journeyman.config.yaml'), JSON.stringify({ temporal }));
    journeys = await connectJourneys<Journeys>({ folder, caller: 'the shop' });
  });
  afterAll(async () => {
    await journeys?.close();
    await on?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts a run, submits steps, also of map items, and waits for the result', async () => {
    const run = await start('o-1');
    const result = run.result();
    await expect.poll(() => run.status()).toMatchObject({ journey: 'order', version: '1.2.0', steps: ['approve'] });
    const reviewing = await run.submit('approve', { ok: true });
    expect(reviewing).toMatchObject({ phase: 'RUNNING', state: 'reviews', endedAt: null });
    expect([...reviewing.steps].sort()).toEqual(['review/ada', 'review/kim']);
    await run.submit('review', {}, { item: 'kim' });
    expect(await run.submit('review', {}, { item: 'ada' })).toMatchObject({ phase: 'SUCCEEDED', steps: [] });
    expect(await result).toEqual({
      phase: 'SUCCEEDED',
      status: 'APPROVED',
      endedIn: 'done',
      output: { status: 'APPROVED', orderId: 'o-1' },
      error: null,
    });
  });

  it('finds a run by its business key or id; a failed run is a result', async () => {
    const { id } = await start('o-2');
    const [byKey, byId] = [journeys.runByKey('order', 'o-2'), journeys.run('order', id)];
    expect(byKey.id).toBe(byId.id);
    await expect.poll(() => byKey.status()).toMatchObject({ steps: ['approve'] });
    await byKey.submit('approve', { ok: false });
    expect(await byId.result()).toMatchObject({ phase: 'FAILED', output: null, error: { code: 'REFUSED' } });
  });

  it('cancels; stops waiting after the timeout', async () => {
    const run = await start('o-3');
    const early = await run.result({ timeoutMs: 500 }).catch(errorCodeOf);
    expect(early).toBe('RESULT_NOT_READY');
    expect(await run.cancel()).toMatchObject({ phase: 'FAILED' });
    expect(await run.result()).toMatchObject({ phase: 'FAILED', status: 'JOURNEY_CANCELLED' });
  });

  it('repeating a start or a submission with its idempotency key has no second effect', async () => {
    const options = { idempotencyKey: 'first' };
    const run = await journeys.start('order', { orderId: 'o-4' }, options);
    expect((await journeys.start('order', { orderId: 'o-4' }, options)).id).toBe(run.id);
    await expect.poll(() => run.status()).toMatchObject({ steps: ['approve'] });
    const first = await run.submit('approve', { ok: true }, options);
    expect(await run.submit('approve', { ok: true }, options)).toEqual(first);
  });

  it('lists runs with filters and pages, and records its changes in the audit log', async () => {
    const run = await start('o-5');
    const mine = { journey: 'order', startedBy: 'the shop' } as const;
    const found = async () => {
      const { runs, nextPageToken } = await journeys.list({ ...mine, pageSize: 1 });
      const next =
        nextPageToken === undefined ? { runs: [] } : await journeys.list({ ...mine, pageToken: nextPageToken });
      return [...runs, ...next.runs].map(({ id }) => id);
    };
    await expect.poll(found).toContain(run.id);
    expect((await journeys.list({ ...mine, errorCode: 'NONE' })).runs).toEqual([]);
    const { orchestrators } = on.config;
    expect(Object.keys(orchestrators)).toContain('main');
    const audit = readFileSync(join(folder, '.journeyman/orchestrators/main/automation/audit.jsonl'), 'utf8');
    const events = audit
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; by: object });
    expect(new Set(events.map(({ event }) => event))).toContain('run.started');
    expect(events[0]?.by).toEqual({ caller: 'the shop' });
  });

  it.each([
    ['an unknown journey', () => journeys.start('ordr' as 'order', { orderId: 'x' }), 'JOURNEY_UNKNOWN'],
    ['an unknown version', () => journeys.start('order', { orderId: 'x' }, { version: '9.0.0' }), 'JOURNEY_UNKNOWN'],
    ['an invalid input', () => journeys.start('order', {} as { orderId: string }), 'INPUT_INVALID'],
    ['an unknown run', () => journeys.run('order', 'nobody').status(), 'RUN_UNKNOWN'],
    ['the result of an unknown run', () => journeys.run('order', 'nobody').result(), 'RUN_UNKNOWN'],
  ])('rejects %s with a code', async (_, work, code) => {
    expect(await work().then(() => undefined, errorCodeOf)).toBe(code);
    expect(errorCodeOf(new Error('another'))).toBeUndefined();
  });
});
