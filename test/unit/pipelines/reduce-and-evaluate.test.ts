import { expect, it } from 'vitest';
import { defaultLimits } from '../../../src/expressions/expression-engine-interface.js';
import { newPipeline } from '../../../src/pipelines/apply-deployment.js';
import type { ConsumerDefinition } from '../../../src/pipelines/definition.js';
import type { Message } from '../../../src/pipelines/messages-and-effects.js';
import { type Advance, advance } from '../../../src/pipelines/reduce-and-evaluate.js';
import { restore, snapshot } from '../../../src/pipelines/snapshot.js';
import { pipelineView } from '../../../src/pipelines/view.js';
import { consumer, pipeline } from './definitions.js';

const now = Date.UTC(2027, 0, 1);
const dataweave = (expr: string) => ({ lang: 'dataweave', expr });

/** Six large events, and a consumer of them. */
function afterSix(more: Partial<ConsumerDefinition>) {
  const definition = pipeline({}, { work: consumer(['orders'], more) });
  const state = newPipeline({ definition, hash: 'h', deployer: 'me' }, now);
  const messages = Array.from({ length: 6 }, (_, i): Message => {
    return { type: 'publish', topic: 'orders', id: `o${i}`, payload: 'x'.repeat(60_000), stamp: 's' };
  });
  const evaluation = { env: { uuid: () => 'u', random: () => 0 }, limits: defaultLimits };
  const { starts } = advance(state, messages, now, evaluation) as Advance;
  return { starts, runs: pipelineView(state, now).runs };
}

it('a prepare with a result beyond the limit of expressions is reported with its consumer and an alternative', () => {
  const { starts, runs } = afterSix({ prepare: dataweave('events.orders') });
  expect(starts).toEqual([]);
  expect(runs).toMatchObject([
    {
      handler: 'work',
      status: 'failed',
      error: {
        code: 'DW_MAX_RESULT_SIZE_EXCEEDED',
        reason: expect.stringMatching(/^prepare of work: .* Give \{ topic, ids \} of the events/),
      },
    },
  ]);
});

it('a prepare that returns ids reserves large events as a batch', () => {
  const { starts, runs } = afterSix({
    prepare: dataweave('{ topic: "orders", ids: events.orders.id }'),
    input: dataweave('{ first: event.id, count: sizeOf(events) }'),
  });
  expect(runs).toEqual([]);
  expect(starts).toMatchObject([{ handler: 'work', input: { first: 'o0', count: 6 } }]);
});

it('an input mapper that fails is reported with its handler', () => {
  const { runs } = afterSix({ input: dataweave('{ all: event.payload ++ 1 / 0 }') });
  expect(runs[0]!.error!.reason).toMatch(/^input of work: /);
});

const evaluation = { env: { uuid: () => 'u', random: () => 0 }, limits: defaultLimits };

/** Orders and payments that match by order number. */
class Shop {
  state;

  constructor(by = 'event.payload.order') {
    const definition = pipeline(
      {},
      { ship: consumer(['orders', 'payments'], { input: dataweave('{ ids: events.id }') }) },
    );
    definition.topics.orders = { correlate: dataweave('event.id') };
    definition.topics.payments = { correlate: dataweave(by) };
    this.state = newPipeline({ definition, hash: 'h', deployer: 'me' }, now);
  }

  send(...messages: Message[]) {
    return (advance(this.state, messages, now, evaluation) as Advance).starts.map(({ input }) => input);
  }

  order(id: string) {
    return this.send({ type: 'publish', topic: 'orders', id, payload: null, stamp: 's' });
  }

  pay(id: string, order: string | null) {
    return this.send({ type: 'publish', topic: 'payments', id, payload: { order }, stamp: 's' });
  }

  commit() {
    return this.send({ type: 'ended', run: this.state.active!.key, outcome: { kind: 'success', output: null } });
  }
}

it('GAP-18 events of two topics with the same key are reserved together, each once', () => {
  const shop = new Shop();
  expect([shop.order('o1'), shop.pay('p0', null), shop.pay('p9', 'o9')]).toEqual([[], [], []]);
  expect(shop.pay('p1', 'o1')).toEqual([{ ids: ['o1', 'p1'] }]);
  expect([shop.pay('p2', 'o1'), shop.order('o9')]).toEqual([[], []]);
  expect(shop.commit()).toEqual([{ ids: ['o9', 'p9'] }]);
  // A failed run releases its events, and a restored pipeline matches them again.
  shop.send({
    type: 'ended',
    run: shop.state.active!.key,
    outcome: { kind: 'fail', error: { code: 'NO', reason: '' } },
  });
  shop.state = restore(JSON.parse(JSON.stringify(snapshot(shop.state))));
  expect(shop.send({ type: 'resume' })).toEqual([{ ids: ['o9', 'p9'] }]);
  expect(shop.commit()).toEqual([]);
  // A new payload may have a different key.
  shop.order('o3');
  expect(shop.pay('p2', 'o3')).toEqual([{ ids: ['o3', 'p2'] }]);
});

it('GAP-18 an event costs the same with 5,000 unmatched events in each topic as with none', () => {
  const pairs = (shop: Shop) => {
    const from = performance.now();
    for (let i = 0; i < 300; i++) {
      shop.order(`new${i}`);
      expect(shop.pay(`n${i}`, `new${i}`)).toEqual([{ ids: [`new${i}`, `n${i}`] }]);
      shop.commit();
    }
    return performance.now() - from;
  };
  pairs(new Shop());
  const empty = pairs(new Shop());
  const shop = new Shop();
  for (let i = 0; i < 5_000; i++) {
    shop.order(`o${i}`);
    shop.pay(`p${i}`, `x${i}`);
  }
  const full = pairs(shop);
  expect(pipelineView(shop.state, now)).toMatchObject({
    status: 'running',
    topics: { orders: { pending: 5_000 }, payments: { pending: 5_000 } },
    counts: { committed: 300 },
  });
  // With linear cost this would be a thousand times larger.
  expect(full).toBeLessThan(20 * empty + 200);
});

it('GAP-18 a key that is not a single value pauses the pipeline, which names topic and event', () => {
  const shop = new Shop('event.payload');
  shop.order('o1');
  shop.pay('p1', 'o1');
  const { pauses } = pipelineView(shop.state, now);
  expect(pauses[0]?.text).toMatch(/ship failed .* CORRELATE_KEY_INVALID: correlate.by of payments .* the event p1/);
});

it('GAP-18 a prepare beyond its budget fails with a hint, and the view shows how many events it reads', () => {
  const quadratic = dataweave(
    '(events.orders filter ((it) -> (events.orders map ((o) -> o.id)) contains it.payload))[0]',
  );
  const definition = pipeline({}, { work: consumer(['orders'], { prepare: quadratic }) }, { window: 600 });
  const state = newPipeline({ definition, hash: 'h', deployer: 'me' }, now);
  const messages = Array.from({ length: 700 }, (_, i): Message => {
    return { type: 'publish', topic: 'orders', id: `o${i}`, payload: 'x', stamp: 's' };
  });
  advance(state, messages, now, evaluation);
  const { runs, consumers } = pipelineView(state, now);
  expect(runs[0]!.error).toMatchObject({
    code: 'DW_MAX_EVAL_TIME_EXCEEDED',
    reason: expect.stringMatching(/^prepare of work: .* replace it by correlate: \{ by: … \} .* policy.window/),
  });
  expect(consumers.work!.sees).toEqual({ orders: { seen: 600, pending: 700 } });
});
