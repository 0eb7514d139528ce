import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { hookEnvironment } from './support/hooks.js';
import { type Rig, rig } from './support/rig.js';
import { signalSender as sender, signalShop as shop } from './support/signal-journeys.js';

/** Signals its own other branch. */
const itself = `
apiVersion: v1
kind: Journey
metadata: { name: signal-itself, version: 1.0.0 }
spec:
  key: { expr: context.orderId }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: tells
            start: tell
            states:
              tell:
                type: task
                task: { kind: "signal:v1", journey: signal-itself, key: { expr: context.orderId }, step: STEP, resultVar: told }
                next: end
              end: { type: succeed }
          - name: hears
            start: hear
            states:
              hear: { type: wait, wait: { channel: manual, input: { schema: true } }, next: end }
              end: { type: succeed }
        join: { strategy: allOf, errorPolicy: collectAll }
      next: later
    later: { type: wait, wait: { channel: manual, input: { schema: true }, timeoutSec: 1, onTimeout: done }, next: done }
    done: { type: succeed, outputVar: told }
`;

const newKey = () => `order-${randomUUID().slice(0, 8)}`;
const failed = (type: string) => ({ phase: 'SUCCEEDED', outcome: { output: { ok: false, error: { type } } } });
const told = { phase: 'SUCCEEDED', outcome: { output: { ok: true } } };

describe('LESS-7 signal:v1', () => {
  let rigged: Rig;
  beforeAll(async () => {
    rigged = await rig({ env: hookEnvironment() });
  });
  afterAll(() => rigged.stop());

  const tell = (orderId: string, step: string, body: JsonObject, more = {}) =>
    rigged.start(sender(step), { orderId, body }, more);
  const outputOf = (id: string) => rigged.client.workflow.getHandle(id).result();

  it('submits a step of another run, active or not yet active', async () => {
    const orderId = newKey();
    const { journeyId } = await rigged.start(shop, { orderId });
    expect(await tell(orderId, 'again', { amount: 2 })).toMatchObject(told);
    expect(await tell(orderId, 'paid', { amount: 1 })).toMatchObject(told);
    expect(await outputOf(journeyId)).toMatchObject({ output: [1, 2] });
    expect(await tell(orderId, 'paid', { amount: 3 })).toMatchObject(failed('RUN_UNKNOWN'));
  });

  it('distinguishes failures, which leave nothing behind', async () => {
    const orderId = newKey();
    const { journeyId } = await rigged.start(shop, { orderId });
    expect(await tell(orderId, 'paid', {})).toMatchObject(failed('STEP_INVALID'));
    expect(await tell(orderId, 'nothing', { amount: 1 })).toMatchObject(failed('STEP_UNKNOWN'));
    expect(await tell(orderId, 'pushed', { amount: 1 })).toMatchObject(failed('SIGNATURE_INVALID'));
    expect(await tell('a/b', 'paid', { amount: 1 })).toMatchObject(failed('KEY_INVALID'));
    expect(await tell(newKey(), 'paid', { amount: 1 })).toMatchObject(failed('RUN_UNKNOWN'));
    expect(await rigged.runs.status(journeyId)).toMatchObject({ steps: ['paid'] });
  });

  it('has the rights of the owner of its run', async () => {
    const orderId = newKey();
    const mine = { caller: `key:${'m'.repeat(90)}`, ownSchedules: true };
    const { journeyId } = await rigged.start(shop, { orderId }, mine);
    const other = { caller: 'key:other', ownSchedules: true };
    expect(await tell(orderId, 'paid', { amount: 9 }, other)).toMatchObject(failed('RUN_UNKNOWN'));
    expect(await tell(orderId, 'paid', { amount: 1 }, mine)).toMatchObject(told);
    expect(await tell(orderId, 'again', { amount: 2 }, { caller: 'key:operator' })).toMatchObject(told);
    expect(await outputOf(journeyId)).toMatchObject({ output: [1, 2] });
  });

  it('can signal its own run without a deadlock', async () => {
    for (const step of ['hear', 'later']) {
      const { journeyId } = await rigged.start(itself.replace('STEP', step), { orderId: newKey() }, { mode: 'async' });
      if (step === 'later')
        await rigged.runs.deliver({
          id: journeyId,
          stepId: 'hear',
          payload: null,
          caller: 'test',
          headers: {},
          early: true,
        });
      expect(await outputOf(journeyId)).toMatchObject({ output: { ok: true } });
    }
  });
});
