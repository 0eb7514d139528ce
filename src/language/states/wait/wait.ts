import { fixed } from '../../../base/document/schema-builders.js';
import { stepSchema, stepType } from './wait-or-webhook-step.js';

const schema = stepSchema(
  'wait',
  'Pauses until someone submits the step; its body is then context.payload.',
  {
    channel: 'manual',
    input: {
      schema: { type: 'object', required: ['approved'], properties: { approved: { type: 'boolean' } } },
    },
    response: { outputVar: 'summary' },
    timeoutSec: 86_400,
    onTimeout: 'expired',
  },
  { channel: fixed('manual', 'Who submits: a person.') },
);

/** Waits until a client submits the step. */
export const wait = stepType('wait', schema, 'client');
