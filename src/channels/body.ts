import { isObject, type Json, type JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';

/** The body of a channel's request, as the JSON object that it must be. */
export function parseBody(body: Uint8Array): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json;
  } catch {
    return refuse('BODY_INVALID_JSON', 'A channel sends JSON.');
  }
  return isObject(value) ? value : refuse('BODY_NOT_OBJECT', 'A channel sends JSON objects.');
}
