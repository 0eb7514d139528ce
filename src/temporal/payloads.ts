import type { Definition } from '../definition/definition.js';
import { jsonBytes, payloadBytes } from '../json/size.js';
import type { Json, JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';

const definitionSizes = new WeakMap<Definition, number>();

/** Refuses what the server would refuse, and says so: the server's answer comes late, or as an error that nobody can place. */
export function checkSize(payload: object, along = 0): void {
  const bytes = jsonBytes(payload as Json) + along;
  if (bytes > payloadBytes) refuse('PAYLOAD_TOO_LARGE', `It has ${bytes} bytes as JSON; the limit is ${payloadBytes}.`);
}

/** The same for a start. The definition goes with every start of its journey, so it is measured once. */
export function checkStartSize(definition: Definition, body: JsonObject): void {
  const along = definitionSizes.get(definition) ?? jsonBytes(definition as unknown as Json);
  definitionSizes.set(definition, along);
  checkSize(body, along);
}
