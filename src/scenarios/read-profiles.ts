import { dirname, resolve } from 'node:path';
import type { AuthPlugins } from '../config/config.js';
import { mapPaths } from '../config/keys.js';
import { pluginSchemas } from '../config/profile-schemas.js';
import type { Schema } from '../config/schema-parts.js';
import { validate } from '../config/validate.js';
import type { Place } from '../document/place.js';
import { pointerParts } from '../json/pointer.js';
import type { Json, JsonObject } from '../json/value.js';

const kinds = ['jwtValidate', 'mtlsValidate', 'apiKeyValidate'] as const;

/** The profiles that a scenario may bring, as the configuration has them: kind → name → profile. */
export const profilesSchema: Schema = {
  type: 'object',
  description: 'Profiles of auth tasks, kind → name → profile, as under plugins in the configuration.',
  additionalProperties: false,
  properties: Object.fromEntries(kinds.map((kind) => [kind, pluginSchemas[kind]!.properties!.profiles!])),
};

/** `profiles`; files in them are relative to the scenario's own. */
export function readProfiles(place: Place, file = ''): AuthPlugins {
  // Most scenarios bring none, and compiling what they could look like takes longer than playing many of them.
  if (place.value === undefined) return pluginsOf({});
  const value = (place.value ?? {}) as Json;
  const findings = validate(profilesSchema, value, () => ({}));
  for (const { pointer, message, hint } of findings)
    pointerParts(pointer)
      .reduce((at, part) => at.at(part), place)
      .error('FIELD_TYPE', `profiles: ${message}.`, hint);
  const read = findings.length > 0 ? {} : mapPaths(profilesSchema, value, (path) => resolve(dirname(file), path));
  return pluginsOf(read as JsonObject);
}

/** Profiles of several places; those that come later win by name. */
export function mergedProfiles(...all: AuthPlugins[]): AuthPlugins {
  return pluginsOf(
    Object.fromEntries(kinds.map((kind) => [kind, Object.assign({}, ...all.map((it) => it[kind].profiles)) as Json])),
  );
}

function pluginsOf(byKind: JsonObject): AuthPlugins {
  return Object.fromEntries(kinds.map((kind) => [kind, { profiles: byKind[kind] ?? {} }])) as unknown as AuthPlugins;
}
