import { dirname, resolve } from 'node:path';
import { pointerParts } from '../../base/json/pointer.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { mapPaths } from '../../config/settings-from-schema.js';
import { schemaFindings } from '../../config/validate-config.js';
import { pluginsOf, profilesSchema, type ReadProfiles } from './auth-profile-schema-and-merge.js';

/** Reads `profiles`; paths in them are relative to the scenario file. */
export const readProfiles: ReadProfiles = (place, file = '') => {
  // Most scenarios have none, and compiling the schema takes longer than playing many scenarios.
  if (place.value === undefined) return pluginsOf({});
  const value = (place.value ?? {}) as Json;
  const findings = schemaFindings(profilesSchema, value, () => ({}));
  for (const { pointer, message, hint } of findings)
    pointerParts(pointer)
      .reduce((at, part) => at.at(part), place)
      .error('FIELD_TYPE', `profiles: ${message}.`, hint);
  const read = findings.length > 0 ? {} : mapPaths(profilesSchema, value, (path) => resolve(dirname(file), path));
  return pluginsOf(read as JsonObject);
};
