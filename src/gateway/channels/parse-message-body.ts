import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';

/** Parses the body of a channel's request as a JSON object. */
export function parseBody(body: Uint8Array): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json;
  } catch {
    return refuse('BODY_INVALID_JSON', 'The body must be JSON.');
  }
  return isObject(value) ? value : refuse('BODY_NOT_OBJECT', 'The body must be a JSON object.');
}
