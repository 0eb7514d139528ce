import { expect, it } from 'vitest';
import { defaultLimits } from '../../../src/expressions/expression.js';
import type { ConsumerDefinition } from '../../../src/pipelines/definition.js';
import { newPipeline } from '../../../src/pipelines/deploy.js';
import { type Advance, advance } from '../../../src/pipelines/evaluate.js';
import type { Message } from '../../../src/pipelines/message.js';
import { viewOf } from '../../../src/pipelines/view.js';
import { consumer, pipeline } from './definitions.js';

const now = Date.UTC(2027, 0, 1);
const dataweave = (expr: string) => ({ lang: 'dataweave', expr });

/** Six large events, and what a consumer does about them. */
function afterSix(more: Partial<ConsumerDefinition>) {
  const definition = pipeline({}, { work: consumer(['orders'], more) });
  const state = newPipeline({ definition, hash: 'h', deployer: 'me' }, now);
  const messages = Array.from({ length: 6 }, (_, i): Message => {
    return { type: 'publish', topic: 'orders', id: `o${i}`, payload: 'x'.repeat(60_000), stamp: 's' };
  });
  const evaluation = { env: { uuid: () => 'u', random: () => 0 }, limits: defaultLimits };
  const { starts } = advance(state, messages, now, evaluation) as Advance;
  return { starts, runs: viewOf(state, now).runs };
}

it('a prepare that gives more than an expression may is named, with its consumer and what to give instead', () => {
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

it('a prepare that gives their ids takes large events as a batch', () => {
  const { starts, runs } = afterSix({
    prepare: dataweave('{ topic: "orders", ids: events.orders.id }'),
    input: dataweave('{ first: event.id, count: sizeOf(events) }'),
  });
  expect(runs).toEqual([]);
  expect(starts).toMatchObject([{ handler: 'work', input: { first: 'o0', count: 6 } }]);
});

it('an input mapper that fails is named with its handler', () => {
  const { runs } = afterSix({ input: dataweave('{ all: event.payload ++ 1 / 0 }') });
  expect(runs[0]!.error!.reason).toMatch(/^input of work: /);
});
