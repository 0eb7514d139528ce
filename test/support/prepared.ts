import type { Definition } from '../../src/definition/definition.js';
import type { JsonObject } from '../../src/json/value.js';
import { type PreparedStart, Starts } from '../../src/service/start.js';

const starts = new Starts({ environment: 'test', config: {} });

/** A start as the gateway prepares it, of a journey that needs no configuration. */
export function prepared(definition: Definition, body: JsonObject = {}): PreparedStart {
  return starts.prepare({ definition, hash: 'test' }, { body, headers: {}, query: new URLSearchParams() });
}
