import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { startUp, type Up } from './support/up.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const main = join(repository, 'dist/src/cli/main.js');

/** A run of a handler as the gateway lists it. */
interface HandlerRun {
  handler: string;
  status: string;
}

describe('The examples under journeyman up', () => {
  let folder: string;
  let up: Up;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-examples-'));
    symlinkSync(join(repository, 'specs'), join(folder, 'specs'));
    up = await startUp(main, folder, undefined, { JOURNEYMAN_LOG_LEVEL: 'info' });
  });
  afterAll(async () => {
    await up?.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const started = new Set<string>();
  async function post(path: string, body: unknown): Promise<JsonObject> {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${up.url}/api/v1${path}`, init);
    return (await response.json()) as JsonObject;
  }
  async function start(journey: string, input: unknown): Promise<JsonObject> {
    started.add(journey);
    return await post(`/journeys/${journey}/start`, input);
  }
  const submit = ({ journeyId }: JsonObject, step: string, body: unknown) =>
    post(`/journeys/${journeyId}/steps/${step}`, body);
  async function journeyman(...args: string[]): Promise<string> {
    const env = { ...process.env, TEMPORAL_ADDRESS: up.address };
    return (await promisify(execFile)(process.execPath, [main, ...args], { cwd: folder, env })).stdout;
  }
  const publish = (pipeline: string, topic: string, id: string, payload: unknown) =>
    post(`/pipelines/${pipeline}/topics/${topic}/events`, { id, payload });
  /** The handlers that ran and their outcomes, without duplicates: the schedule of a producer may add some. */
  async function outcomes(pipeline: string): Promise<string[]> {
    const response = await fetch(`${up.url}/api/v1/pipelines/${pipeline}/runs`);
    const { items } = (await response.json()) as { items: HandlerRun[] };
    return [...new Set(items.map(({ handler, status }) => `${handler} ${status}`))].sort();
  }

  it('prints the address of the stand-in', () => {
    expect(up.printed).toMatch(/^Stand-in +http:\/\/127\.0\.0\.1:\d+ \(for 7 services\)$/m);
  });

  it('runs each journey and the Api', async () => {
    expect(await start('hello', { name: 'Ada' })).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await start('post-message', { text: 'Hello' })).toMatchObject({ phase: 'SUCCEEDED' });

    const items = [{ sku: 'lamp', quantity: 2, price: 49.5 }];
    const checkout = await start('checkout', { cartId: 'cart-1', customerId: 'kim', items });
    expect(await submit(checkout, 'delivery', { address: '1 Harbour Street' })).toMatchObject({ phase: 'SUCCEEDED' });

    const onboarding = await start('onboarding', { customerId: 'kim', email: 'kim@example.org' });
    await expect
      .poll(() => submit(onboarding, 'completeProfile', { name: 'Kim', country: 'SE' }))
      .toMatchObject({ phase: 'RUNNING', currentState: 'settle' });

    const skus = ['lamp', 'nail', 'rope', 'sofa'];
    const low = [
      { sku: 'lamp', quantity: 7 },
      { sku: 'rope', quantity: 0 },
    ];
    expect(await start('stocktake', { skus })).toMatchObject({ output: { low, counted: 3, unknown: ['sofa'] } });

    const payment = await start('recurring-payment', { customerId: 'kim', amount: 9.99 });
    expect(await submit(payment, 'consent', { token: 'token-1' })).toMatchObject({ phase: 'SUCCEEDED' });
    await expect.poll(() => journeyman('schedule', 'list', '--subject', 'kim')).toMatch(/active +1\/12 .* SUCCEEDED /);

    started.add('product-page');
    expect(await post('/pages/product', { sku: 'lamp' })).toEqual({
      sku: 'lamp',
      name: 'Desk lamp',
      price: 49.5,
      availability: 'IN_STOCK',
    });
    const journeys = readdirSync(join(repository, 'specs')).flatMap(
      (it) => /^(.*)\.journey\.yaml$/.exec(it)?.[1] ?? [],
    );
    expect([...started].sort(), 'every example').toEqual(journeys);
  });

  it('runs each pipeline', async () => {
    await post('/pipelines/inbox/handlers/poll/trigger', {});
    await publish('shipping', 'orders', 'o1', { address: '1 Harbour Street' });
    await publish('shipping', 'payments', 'p1', { order: 'o1' });
    for (let i = 1; i <= 10; i++) await publish('vans', 'parcels', `p${i}`, {});
    await expect.poll(() => outcomes('inbox')).toEqual(['answer committed', 'poll committed']);
    await expect.poll(() => outcomes('shipping')).toEqual(['ship committed']);
    await expect.poll(() => outcomes('vans')).toEqual(['depart committed', 'load committed']);
    // Before nine o'clock nothing is sent.
    await publish('digest', 'news', 'n1', { headline: 'Rain' });
    expect(['', 'send committed']).toContain((await outcomes('digest')).join());
  });

  it('logs no warnings or errors', () => {
    const lines = up.logged().split('\n');
    const records = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as JsonObject);
    expect(records.length).toBeGreaterThan(0);
    expect(records.filter(({ level }) => Number(level) > 30)).toEqual([]);
    expect(lines.filter((line) => !line.startsWith('{') && !/^(Deploying .* …)?$/.test(line))).toEqual([]);
  });
});
