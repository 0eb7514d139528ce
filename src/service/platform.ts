import type { Definition } from '../definition/definition.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';

/** Where runs run, as far as journeys can tell. */
export interface Platform {
  readonly environment: string;
  /** Values of `platform.config`, by the journey's name. */
  readonly config: Readonly<Record<string, JsonObject>>;
}

/** The configured values of the keys that a journey declares, and no others. */
export function declaredConfig(definition: Definition, platform: Platform): JsonObject {
  const values = platform.config[definition.name] ?? {};
  const out = emptyObject();
  for (const key of Object.keys(definition.platformConfig)) {
    if (Object.hasOwn(values, key)) out[key] = values[key] as Json;
  }
  return out;
}
