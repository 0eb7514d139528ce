import type { StateType } from '../state.js';
import { readStep, stepExits, type WaitState } from '../wait/read.js';
import { execute } from '../wait/run.js';
import { stepSchema } from '../wait/schema.js';

const schema = stepSchema('webhook', 'Pauses until another system calls back; its body is then context.payload.', {
  input: { schema: { type: 'object', required: ['status'], properties: { status: { enum: ['PAID', 'FAILED'] } } } },
  response: { outputVar: 'receipt' },
  timeoutSec: 3600,
  onTimeout: 'expired',
  signature: { preset: 'github', secretRef: 'secret://shop/webhook' },
});

/** Waits for another system's call; differs from `wait` in who submits, not in what happens. */
export const webhook: StateType<WaitState<'webhook'>> = {
  type: 'webhook',
  schema,
  read: (state, graph, id) => readStep({ type: 'webhook', schema }, state, graph, id),
  execute,
  exits: stepExits,
  rest: 'step',
};
