import type { JsonObject } from '../../src/base/json/value.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import { definitionHash } from '../../src/library/read-journeys.js';
import { type PreparedStart, Starts } from '../../src/service/prepare-start-with-ajv.js';

const starts = new Starts({ environment: 'test', config: {} });

/** A start as the gateway prepares it, for a journey without configuration. */
export function prepared(definition: Definition, body: JsonObject = {}): PreparedStart {
  // Compiled schemas are cached by hash, and test files share a process.
  const hash = definitionHash(definition);
  return starts.prepare({ definition, hash }, { body, headers: {}, query: new URLSearchParams() });
}
