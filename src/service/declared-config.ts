import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';

/** The configured values of the keys that a journey declares, and of no others. */
export function declaredConfig(definition: Definition, { platform }: Pick<Config, 'platform'>): JsonObject {
  const values = platform.config[definition.name] ?? {};
  const out = emptyObject();
  for (const key of Object.keys(definition.platformConfig)) {
    if (Object.hasOwn(values, key)) out[key] = values[key] as Json;
  }
  return out;
}
