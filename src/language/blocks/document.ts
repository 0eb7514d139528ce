import { defaultMetadataLimits } from '../../definition/metadata-limits.js';
import { describe, isBlock, text, texts } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { isVersion } from '../../json/semver.js';
import type { LoadOptions } from '../../reading/load-options.js';

/** The keys at the top of a document. */
export const rootFields = ['apiVersion', 'kind', 'metadata', 'spec'];

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Whether a journey can be called so: its name is part of URLs. */
export function isDocumentName(name: string): boolean {
  return namePattern.test(name) && name.length <= 63;
}

/** Who a document says it is. */
export interface Identity {
  name: string;
  version: string;
  description?: string;
  tags: string[];
}

/** What a document that is no journey may be, by a key at its top. */
const others = {
  scenarios: 'It looks like a file of scenarios, which journeyman test plays.',
  openapi: 'It looks like an OpenAPI document; journeys name theirs under spec.apis.',
};

/** Tells, in one finding, that a document has nothing of a journey. */
export function isSomethingElse(root: Place): boolean {
  if (rootFields.some((field) => root.has(field) || root.misspells(field, rootFields))) return false;
  const known = Object.entries(others).find(([key]) => root.has(key));
  const hint = known?.[1] ?? 'journeyman new writes one.';
  root.error('DOC_KIND', 'This is no journey: it has neither apiVersion, kind, metadata nor spec.', hint);
  return true;
}

/** `apiVersion` and `kind`; undefined when the loader cannot go on with the document. */
export function readKind(root: Place): 'Journey' | 'Api' | undefined {
  const version = root.at('apiVersion');
  if (version.value !== 'v1' && !(version.value === undefined && root.misspells('apiVersion', rootFields)))
    version.error('DOC_API_VERSION', `apiVersion must be v1, not ${describe(version.value)}.`);
  const kind = root.at('kind');
  if (kind.value === 'Journey' || kind.value === 'Api') return kind.value;
  if (kind.value === undefined && root.misspells('kind', rootFields)) return undefined;
  const hint =
    kind.value === 'MetadataLimits'
      ? 'MetadataLimits is configuration, not a journey.'
      : kind.value === 'Pipeline'
        ? 'The file of a pipeline is called <name>.pipeline.yaml.'
        : undefined;
  kind.error(
    'DOC_KIND',
    `kind must be Journey or Api, not ${describe(kind.value)}.`,
    hint ?? (typeof kind.value === 'string' ? didYouMean(kind.value, ['Journey', 'Api']) : undefined),
  );
  return undefined;
}

/** `metadata`. */
export function readIdentity(root: Place, options: LoadOptions): Identity {
  const place = root.at('metadata');
  if (!isBlock(place, 'FIELD_TYPE', 'metadata') && place.value === undefined && !root.misspells('metadata', rootFields))
    root.error('FIELD_REQUIRED', 'The document has no metadata.', 'Add metadata with name and version.', 'key');
  place.only(['name', 'version', 'description', 'tags'], 'warning', (key) =>
    key === 'bindings' ? 'It belongs under spec.metadata.' : undefined,
  );
  const name = place.object ? text(place.at('name'), 'META_NAME', 'metadata.name') : '';
  if (name && !isDocumentName(name)) place.at('name').error('META_NAME', `"${name}" is not a valid name.`);
  const given = place.at('version');
  if (typeof given.value === 'number')
    given.error('META_VERSION', `A version has three numbers, not ${describe(given.value)}.`);
  const version =
    place.object && typeof given.value !== 'number' ? text(given, 'META_VERSION', 'metadata.version') : '';
  if (version && !isVersion(version))
    place.at('version').error('META_VERSION', `"${version}" is not a semantic version.`);
  const tags = texts(place.at('tags'), 'META_TAGS', 'metadata.tags');
  const { definitionTags, instanceTags, tagLength } = options.metadata ?? defaultMetadataLimits;
  const most = Math.min(definitionTags, instanceTags);
  if (tags.length > most)
    place.at('tags').error('META_TAGS_LIMIT', `There are ${tags.length} tags; at most ${most} are allowed.`);
  for (const tag of tags)
    if (tag.length > tagLength)
      place.at('tags').error('META_TAGS_LIMIT', `The tag "${tag}" is longer than ${tagLength} characters.`);
  const out: Identity = { name: name ?? '', version: version ?? '', tags };
  if (place.has('description')) {
    const description = text(place.at('description'), 'META_DESCRIPTION', 'metadata.description');
    if (description !== undefined) out.description = description.trim();
  }
  return out;
}
