import { describe, isBlock } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { emptyObject, type JsonObject } from '../json/value.js';
import { type Duration, likelyDuration, parseDuration } from '../time/duration.js';
import { CallPattern } from './call-pattern.js';

/** A duration, or undefined where there is none. */
export function duration(place: Place, name: string): Duration | undefined {
  if (place.value === undefined) return undefined;
  const value = typeof place.value === 'string' ? parseDuration(place.value) : undefined;
  if (!value) {
    const meant = typeof place.value === 'string' ? likelyDuration(place.value) : undefined;
    place.error(
      'SCENARIO_DURATION',
      `${name} must be an ISO-8601 duration, not ${describe(place.value)}.`,
      meant === undefined ? 'Like PT1S, PT5M or P30D.' : `Write ${meant}.`,
    );
  }
  return value;
}

/** Names to texts; numbers and booleans are taken as they are written. `without` is told of names whose value is null. */
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

/** `call` or `operation` of a block: which calls it is about. */
export function readPattern(place: Place): CallPattern | undefined {
  const call = place.at('call');
  const operation = place.at('operation');
  if ((call.value === undefined) === (operation.value === undefined)) {
    place.error('SCENARIO_CALL', 'Say which calls are meant: either call or operation.', callHint);
    return undefined;
  }
  if (operation.value === undefined) return callPattern(call);
  if (typeof operation.value === 'string' && /^[^.\s]+\.[^\s]+$|^[A-Za-z][\w-]*:v[1-9]\d*$/.test(operation.value)) {
    return CallPattern.operation(operation.value);
  }
  operation.error(
    'SCENARIO_CALL',
    'operation must be <api>.<operationId>, or the kind of a plugin.',
    'As in the journey’s operationRef.',
  );
  return undefined;
}

/** A call written as one text. */
export function callPattern(place: Place): CallPattern | undefined {
  const pattern = typeof place.value === 'string' ? CallPattern.parse(place.value) : undefined;
  if (!pattern) place.error('SCENARIO_CALL', `A call is a method and a URL, not ${describe(place.value)}.`, callHint);
  return pattern;
}

const callHint =
  'Like call: GET https://orders.test/orders/* (ANY for any method, * for one segment, ** for the rest).';
