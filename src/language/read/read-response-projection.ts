import type { Place } from '../../base/document/placed-value.js';
import { describeType, ifDefined, optionalIdentifier } from '../../base/document/read-fields.js';
import type { Projection } from '../../engine/definition/definition.js';
import { inlineSchema } from './read-inline-schema.js';

/** `response{outputVar,schema}`: fields of a variable shown at the top level of a response. */
export function readProjection(place: Place, reserved: readonly string[]): Projection | undefined {
  if (!place.object) {
    place.error('FIELD_TYPE', `response must be an object, not ${describeType(place.value)}.`);
    return undefined;
  }
  place.only(['outputVar', 'schema']);
  const outputVar = optionalIdentifier(place.at('outputVar'), 'response.outputVar');
  if (!place.has('outputVar'))
    place.warn('FIELD_REQUIRED', 'Without outputVar the response shows none of these fields.');
  const schema = place.has('schema') ? inlineSchema(place.at('schema')) : undefined;
  for (const [name, property] of place.at('schema').at('properties').entries()) {
    // `status` is allowed: the outcome's status mirrors output.status, and the language asks authors to declare it.
    if (name === 'status' || !reserved.includes(name)) continue;
    const message = `"${name}" is a standard field of the response and cannot be replaced.`;
    property.error('RESPONSE_RESERVED_FIELD', message, undefined, 'key');
  }
  return { ...ifDefined('outputVar', outputVar), ...ifDefined('schema', schema) };
}
