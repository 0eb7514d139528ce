import { part } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** JSON Schema of `task`; the block's is up to its kind. */
export const schema = stateSchema(
  'task',
  'Runs a task once, then goes on.',
  { task: part('task'), next },
  ['task', 'next'],
  [
    {
      task: {
        kind: 'httpCall:v1',
        method: 'GET',
        url: 'https://shop.example.com/orders/${context.orderId}',
        resultVar: 'order',
      },
      next: 'done',
    },
  ],
);
