import { emptyObject, type Json, type JsonObject, own } from '../../base/json/value.js';
/** Fields of every status, reserved: a step's projection cannot use them. */
export const statusFields: readonly string[] = [
  'journeyId',
  'journeyName',
  'phase',
  'currentState',
  'updatedAt',
  'tags',
  'attributes',
  '_links',
];

/** Fields of every outcome, reserved: the journey's projection cannot use them. */
export const outcomeFields: readonly string[] = [
  'journeyId',
  'journeyName',
  'phase',
  'status',
  'output',
  'error',
  'tags',
  'attributes',
  '_links',
];

/** The fields that `response.outputVar` adds to a response, without reserved names. */
export function responseFields(
  context: JsonObject,
  outputVar: string | undefined,
  reserved: readonly string[],
): JsonObject {
  const value: Json | undefined = outputVar === undefined ? undefined : own(context, outputVar);
  const out = emptyObject();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return out;
  for (const key of Object.keys(value)) {
    if (!reserved.includes(key)) out[key] = value[key] as Json;
  }
  return out;
}
