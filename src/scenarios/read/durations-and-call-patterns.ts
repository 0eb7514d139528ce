import type { Place } from '../../base/document/placed-value.js';
import { describeType, isBlock } from '../../base/document/read-fields.js';
import { emptyObject, type JsonObject } from '../../base/json/value.js';
import { type Duration, likelyDuration, parseDuration } from '../../base/time/duration.js';
import { CallPattern } from '../call-pattern.js';

/** Reads a duration; undefined if absent. */
export function readDuration(place: Place, name: string): Duration | undefined {
  if (place.value === undefined) return undefined;
  const value = typeof place.value === 'string' ? parseDuration(place.value) : undefined;
  if (!value) {
    const meant = typeof place.value === 'string' ? likelyDuration(place.value) : undefined;
    place.error(
      'SCENARIO_DURATION',
      `${name} must be an ISO-8601 duration, not ${describeType(place.value)}.`,
      meant === undefined ? 'For example, PT1S, PT5M or P30D.' : `Write ${meant}.`,
    );
  }
  return value;
}

/** Reads a map of names to texts; numbers and booleans are used as written. `without` is called with names whose value is null. */
export function textMap(place: Place, name: string, without?: (key: string) => void): Record<string, string> {
  const out: JsonObject = emptyObject();
  if (isBlock(place, 'FIELD_TYPE', name)) {
    for (const [key, value] of place.entries()) {
      if (value.value === null && without) without(key);
      else if (typeof value.value === 'object') value.error('FIELD_TYPE', `${name}.${key} must be a text.`);
      else out[key] = String(value.value);
    }
  }
  return out as Record<string, string>;
}

/** Reads `call` or `operation` of a block, which selects its calls. */
export function readPattern(place: Place): CallPattern | undefined {
  const call = place.at('call');
  const operation = place.at('operation');
  if ((call.value === undefined) === (operation.value === undefined)) {
    place.error('SCENARIO_CALL', 'Exactly one of call and operation is required.', callHint);
    return undefined;
  }
  if (operation.value === undefined) return callPattern(call);
  if (typeof operation.value === 'string' && /^[^.\s]+\.[^\s]+$|^[A-Za-z][\w-]*:v[1-9]\d*$/.test(operation.value)) {
    return CallPattern.operation(operation.value);
  }
  operation.error(
    'SCENARIO_CALL',
    'operation must be <api>.<operationId>, or the kind of a plugin.',
    'Use the journey’s operationRef.',
  );
  return undefined;
}

/** Reads a call written as one text. */
export function callPattern(place: Place): CallPattern | undefined {
  const pattern = typeof place.value === 'string' ? CallPattern.parse(place.value) : undefined;
  if (!pattern)
    place.error('SCENARIO_CALL', `A call must be a method and a URL, not ${describeType(place.value)}.`, callHint);
  return pattern;
}

const callHint =
  'For example, call: GET https://orders.test/orders/* (ANY for any method, * for one segment, ** for the rest).';
