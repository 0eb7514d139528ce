import { stepSchema, stepType } from './wait-or-webhook-step.js';

const schema = stepSchema('webhook', 'Pauses until another system calls back; its body is then context.payload.', {
  input: { schema: { type: 'object', required: ['status'], properties: { status: { enum: ['PAID', 'FAILED'] } } } },
  response: { outputVar: 'receipt' },
  timeoutSec: 3600,
  onTimeout: 'expired',
  signature: { preset: 'github', secretRef: 'secret://shop/webhook' },
});

/** Waits until another system calls back. */
export const webhook = stepType('webhook', schema, 'callback');
