import type { Place } from '../../base/document/placed-value.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import type { Schema } from '../../config/config-schema-builders.js';
import type { AuthPlugins } from '../../config/config-types.js';
import { authProfileSchemas } from '../../config/inbound-auth-profile-schemas.js';

const kinds = Object.keys(authProfileSchemas) as (keyof AuthPlugins)[];

/** Profiles that a scenario may define, in the form of the configuration: kind → name → profile. */
export const profilesSchema: Schema = {
  type: 'object',
  description: 'Profiles of auth tasks, kind → name → profile, as under plugins in the configuration.',
  additionalProperties: false,
  properties: Object.fromEntries(kinds.map((kind) => [kind, authProfileSchemas[kind]!.properties!.profiles!])),
};

/** Reads `profiles` of a scenario in this file. */
export type ReadProfiles = (place: Place, file?: string) => AuthPlugins;

/** Refuses `profiles`, where no files can be read and no credentials checked. */
export const withoutProfiles: ReadProfiles = (place) => {
  if (place.value !== undefined) place.error('FIELD_TYPE', 'profiles cannot be used here.', undefined, 'key');
  return pluginsOf({});
};

/** Merges profiles; later ones take precedence by name. */
export function mergedProfiles(...all: AuthPlugins[]): AuthPlugins {
  return pluginsOf(
    Object.fromEntries(kinds.map((kind) => [kind, Object.assign({}, ...all.map((it) => it[kind].profiles)) as Json])),
  );
}

/** Profiles by kind; a kind that is left out has none. */
export function pluginsOf(byKind: JsonObject): AuthPlugins {
  return Object.fromEntries(kinds.map((kind) => [kind, { profiles: byKind[kind] ?? {} }])) as unknown as AuthPlugins;
}
