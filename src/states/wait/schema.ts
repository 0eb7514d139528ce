import { type ObjectSchema, part, shape, wholeOf } from '../../document/schema-parts.js';
import type { Json, JsonObject } from '../../json/value.js';
import { next, old, stateSchema } from '../state.js';
import { signatureSchema } from './signature.js';

const fields = {
  input: shape('What the step accepts.', { schema: part('jsonSchema') }, ['schema']),
  response: part('projection'),
  timeoutSec: wholeOf('Seconds until onTimeout.'),
  onTimeout: part('stateId', 'The state to go on to when nobody came in time.'),
  signature: signatureSchema,
  default: old('Old name of next.'),
};

/** JSON Schema of a step. `next` says where it goes; the old spellings count too. */
export function stepSchema(
  type: 'wait' | 'webhook',
  description: string,
  example: JsonObject,
  own: Record<string, Json> = {},
): ObjectSchema {
  const block = {
    ...shape('The step.', { ...own, ...fields }, [...Object.keys(own), 'input']),
    dependentRequired: { timeoutSec: ['onTimeout'] },
  };
  return {
    ...stateSchema(
      type,
      description,
      { [type]: block, next, default: old('Old name of next.'), response: old('Old place of response.') },
      [type],
      [{ [type]: example, next: 'decide' }],
    ),
    anyOf: [{ required: ['next'] }, { required: ['default'] }, { properties: { [type]: { required: ['default'] } } }],
  };
}
