import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  integer,
  isBlock,
  optionalBoolean,
  optionalOneOf,
  text,
} from '../../base/document/read-fields.js';
import type { Definition } from '../../engine/definition/definition.js';
import { outcomeFields } from '../../engine/definition/response-fields-and-projection.js';
import type { Reading } from '../read/document-reading-state.js';
import { inlineSchema } from '../read/read-inline-schema.js';
import { readProjection } from '../read/read-response-projection.js';

/** Reads `spec.input`, `spec.output` and `spec.context`. */
export function readContract(spec: Place): Pick<Definition, 'input' | 'output'> {
  const input = spec.at('input');
  if (isBlock(input, 'FIELD_TYPE', 'input')) input.only(['schema'], 'warning');
  const inputSchema = input.has('schema') ? inlineSchema(input.at('schema')) : undefined;
  const output = spec.at('output');
  if (isBlock(output, 'FIELD_TYPE', 'output')) output.only(['schema', 'response'], 'warning');
  const schema = output.has('schema') ? inlineSchema(output.at('schema')) : undefined;
  const response = output.has('response') ? readProjection(output.at('response'), outcomeFields) : undefined;
  const context = spec.at('context');
  if (isBlock(context, 'FIELD_TYPE', 'context')) context.only(['schema'], 'warning');
  if (context.has('schema')) inlineSchema(context.at('schema'));
  return {
    ...ifDefined('input', inputSchema === undefined ? undefined : { schema: inputSchema }),
    ...ifDefined('output', output.object && { ...ifDefined('schema', schema), ...ifDefined('response', response) }),
  };
}

/** Reads `spec.execution`. */
export function readExecution(spec: Place): Definition['execution'] {
  const place = spec.at('execution');
  if (!isBlock(place, 'EXEC_DURATION', 'execution')) return undefined;
  place.only(['maxDurationSec', 'onTimeout'], 'warning');
  const maxDurationSec = integer(place.at('maxDurationSec'), 'EXEC_DURATION', 'maxDurationSec');
  const onTimeout = place.at('onTimeout');
  if (!onTimeout.object) {
    (onTimeout.value === undefined ? place : onTimeout).error(
      'EXEC_ONTIMEOUT',
      `onTimeout must be an object with errorCode and reason, not ${describeType(onTimeout.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  onTimeout.only(['errorCode', 'reason'], 'warning');
  const errorCode = text(onTimeout.at('errorCode'), 'EXEC_ONTIMEOUT', 'onTimeout.errorCode');
  const reason = text(onTimeout.at('reason'), 'EXEC_ONTIMEOUT', 'onTimeout.reason');
  if (maxDurationSec === undefined || errorCode === undefined || reason === undefined) return undefined;
  return { maxDurationSec, onTimeout: { errorCode, reason } };
}

/** Reads `spec.lifecycle`. */
export function readLifecycle(spec: Place, kind: Reading['kind']): Definition['lifecycle'] {
  const place = spec.at('lifecycle');
  if (place.value !== undefined && kind === 'Api')
    place.error('LIFECYCLE_API', 'An Api has no lifecycle of its own.', undefined, 'key');
  if (isBlock(place, 'LIFECYCLE_ENUM', 'lifecycle')) place.only(['cancellable', 'startMode'], 'warning');
  return {
    cancellable: optionalBoolean(place.at('cancellable'), 'LIFECYCLE_ENUM', 'cancellable') ?? true,
    startMode: optionalOneOf(place.at('startMode'), ['sync', 'async'], 'LIFECYCLE_ENUM', 'startMode') ?? 'sync',
  };
}

/** Reads `spec.httpSurface.links.enabled`. */
export function readLinks(spec: Place): boolean {
  const surface = spec.at('httpSurface');
  if (isBlock(surface, 'LINKS_TYPE', 'httpSurface')) surface.only(['links'], 'warning');
  const links = surface.at('links');
  if (isBlock(links, 'LINKS_TYPE', 'httpSurface.links')) links.only(['enabled'], 'warning');
  return optionalBoolean(links.at('enabled'), 'LINKS_TYPE', 'links.enabled') ?? true;
}
