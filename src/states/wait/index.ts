import { fixed } from '../../document/schema-parts.js';
import type { StateType } from '../state.js';
import { readStep, stepExits, type WaitState } from './read.js';
import { execute } from './run.js';
import { stepSchema } from './schema.js';

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

/** Waits for somebody to submit something. */
export const wait: StateType<WaitState<'wait'>> = {
  type: 'wait',
  schema,
  read: (state, graph, id) => readStep({ type: 'wait', schema }, state, graph, id),
  execute,
  exits: stepExits,
  rest: 'step',
};
