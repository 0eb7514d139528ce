import type { Definition } from '../definition/definition.js';
import type { JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';

/** The server refuses a payload over 2 MB; what stands around the measured part takes less than the rest. */
const limit = 2 * 1024 * 1024 - 65_536;

const definitionSizes = new WeakMap<Definition, number>();

/** Refuses what the server would refuse, and says so: the server answers late, or with an error that nobody can place. */
export function checkSize(payload: object, along = 0): void {
  const bytes = sizeOf(payload) + along;
  if (bytes > limit) refuse('PAYLOAD_TOO_LARGE', `It has ${bytes} bytes as JSON; the limit is ${limit}.`);
}

/** The same for a start. The definition goes along with every start of its journey, so it is measured once. */
export function checkStartSize(definition: Definition, body: JsonObject): void {
  const along = definitionSizes.get(definition) ?? sizeOf(definition);
  definitionSizes.set(definition, along);
  checkSize(body, along);
}

/** Bytes of a value as Temporal gets it. It can be more than a caller sent: `1e20` has 21 digits when it is written out. */
function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
