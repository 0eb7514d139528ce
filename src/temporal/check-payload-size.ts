import { jsonBytes, maxPayloadBytes } from '../base/json/size.js';
import type { Json, JsonObject } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';

const definitionSizes = new WeakMap<Definition, number>();

/** Rejects payloads that the server would reject, with a clear error. */
export function checkSize(payload: object, along = 0): void {
  const bytes = jsonBytes(payload as Json) + along;
  if (bytes > maxPayloadBytes)
    refuse('PAYLOAD_TOO_LARGE', `It has ${bytes} bytes as JSON; the limit is ${maxPayloadBytes}.`);
}

/** Checks the size of a start. The size of the definition is cached. */
export function checkStartSize(definition: Definition, body: JsonObject): void {
  const along = definitionSizes.get(definition) ?? jsonBytes(definition as unknown as Json);
  definitionSizes.set(definition, along);
  checkSize(body, along);
}
