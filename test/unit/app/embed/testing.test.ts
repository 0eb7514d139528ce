import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectScenarios, type SimulatedCall, simulateJourney } from '../../../../src/app/embed/testing.js';

const items = [{ sku: 'sofa', quantity: 1, price: 900 }];
const input = { cartId: 'c-1', customerId: 'kim', items };

/** The services of the checkout example; the reservation takes two seconds. */
function shop({ operation }: SimulatedCall) {
  if (operation === 'shop.reserveStock') return { status: 201, body: { id: 'r-1' }, delayMs: 2_000 };
  if (operation === 'shop.charge') return { status: 201, body: { id: 'p-1' } };
  return undefined;
}

describe('simulateJourney', () => {
  it('waits until time is advanced', async () => {
    const run = await simulateJourney('specs/checkout.journey.yaml', { input, services: shop });
    expect(run).toMatchObject({ phase: 'RUNNING', state: 'reserve', steps: [] });
    await run.advance('PT1.9S');
    expect(run.state).toBe('reserve');
    await run.advance('PT0.1S');
    expect(run).toMatchObject({ state: 'delivery', steps: ['delivery'], output: null, error: null });
    expect(run.now.toISOString()).toBe('2026-01-01T00:00:02.000Z');
    expect(run.calls).toMatchObject([{ method: 'POST', operation: 'shop.reserveStock', body: { cartId: 'c-1' } }]);
  });

  it('accepts submissions and returns the output', async () => {
    const run = await simulateJourney('specs/checkout.journey.yaml', { input, services: shop });
    await run.advance('PT2S');
    await run.submit('delivery', { address: 'Home' });
    expect(run.context).toMatchObject({ summary: { needsApproval: true } });
    await run.advance('PT7H');
    await run.submit('approval', { approved: true, by: 'ada' });
    expect(run).toMatchObject({ phase: 'SUCCEEDED', output: { status: 'CONFIRMED', paymentId: 'p-1' } });
  });

  it('reaches a deadline with `finish`, or by advancing time', async () => {
    const start = () => simulateJourney('specs/checkout.journey.yaml', { input, services: shop });
    const [finished, advanced] = [await start(), await start()];
    await finished.finish();
    await advanced.advance('PT30M2S');
    for (const run of [finished, advanced]) expect(run).toMatchObject({ phase: 'FAILED', output: null });
    expect(finished.error).toEqual(advanced.error);
    expect(finished.now).toEqual(new Date('2026-01-01T00:30:02Z'));
  });

  it.each([
    ['a payload that violates the schema', 'delivery', {}, 'STEP_INVALID'],
    ['a step that is not open', 'approval', { approved: true, by: 'ada' }, 'STEP_NOT_ACTIVE'],
  ])('rejects %s', async (_, step, payload, code) => {
    const run = await simulateJourney('specs/checkout.journey.yaml', { input, services: shop });
    await run.advance('PT2S');
    await expect(run.submit(step, payload)).rejects.toMatchObject({ problem: { code } });
    expect(run.steps).toEqual(['delivery']);
  });

  it('can be cancelled, and rejects invalid input, an invalid duration and a file without a journey', async () => {
    const run = await simulateJourney('specs/checkout.journey.yaml', { input, services: shop });
    await run.advance('PT2S');
    await expect(run.advance('2h')).rejects.toThrow('"2h" is not an ISO 8601 duration');
    await run.cancel();
    expect(run.phase).toBe('FAILED');
    const refused = (file: string) => simulateJourney(file, { input: {} });
    await expect(refused('specs/checkout.journey.yaml')).rejects.toMatchObject({ problem: { code: 'INPUT_INVALID' } });
    await expect(refused('specs/gone.journey.yaml')).rejects.toMatchObject({ problem: { code: 'JOURNEY_BROKEN' } });
  });
});

describe('expectScenarios', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-embed-'));
    const hello = `{ apiVersion: v1, kind: Journey, metadata: { name: hello, version: 1.0.0 }, spec: { start: done,
      states: { done: { type: succeed, output: { expr: '{ status: "OK" }' } } } } }`;
    writeFileSync(join(folder, 'hello.journey.yaml'), hello);
    const scenarios = 'scenarios:\n  good: { expect: { status: OK } }\n  bad: { expect: { status: WRONG } }\n';
    writeFileSync(join(folder, 'hello.scenario.yaml'), scenarios);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('resolves with the number of scenarios, with paths relative to the project', async () => {
    expect(await expectScenarios('specs/hello.scenario.yaml')).toBe(3);
    expect(await expectScenarios(['.'], { folder, filter: 'good' })).toBe(1);
  });

  it('rejects with the output of `journeyman test` if one fails', async () => {
    const failed = expectScenarios('.', { folder });
    await expect(failed).rejects.toThrow(/✗ bad\n +status: expected "WRONG", got "OK" .*hello\.scenario\.yaml:3:/);
    await expect(failed).rejects.toThrow('1 passed, 1 failed');
  });

  it.each([
    ['a file that does not exist', 'gone.scenario.yaml', 'The file does not exist'],
    ['no scenarios', 'hello.journey.yaml', 'No scenarios found'],
  ])('rejects %s', async (_, path, message) => {
    const filter = path === 'hello.journey.yaml' ? { filter: 'nothing has this name' } : {};
    await expect(expectScenarios(path, { folder, ...filter })).rejects.toThrow(message);
  });
});
