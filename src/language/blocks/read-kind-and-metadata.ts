import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { describeType, dotPath, isBlock, list, text, texts } from '../../base/document/read-fields.js';
import { isVersion } from '../../base/json/semver.js';
import type { MetadataBindings, MetadataSource } from '../../engine/definition/definition.js';
import { defaultMetadataLimits } from '../../engine/definition/metadata-limits.js';
import type { LoadOptions } from '../read/load-options.js';

/** The top-level keys of a document. */
export const rootFields = ['apiVersion', 'kind', 'metadata', 'spec'];

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Whether a journey can have this name, which becomes part of URLs. */
export function isDocumentName(name: string): boolean {
  return namePattern.test(name) && name.length <= 63;
}

/** Whether JavaScript objects inherit a member of this name. The name is the workflow type, and the SDK would run that member instead. */
export function isReservedName(name: string): boolean {
  return Object.hasOwn(Object.prototype, name);
}

/** The identity of a document, from `metadata`. */
export interface Identity {
  name: string;
  version: string;
  description?: string;
  tags: string[];
}

/** Hints for documents that are not journeys, by a top-level key. */
const others = {
  scenarios: 'It looks like a scenario file; run it with journeyman test.',
  openapi: 'It looks like an OpenAPI document; journeys refer to those under spec.apis.',
};

/** Whether a document has none of a journey's top-level keys. Reports that in a single finding. */
export function isForeignDocument(root: Place): boolean {
  if (rootFields.some((field) => root.has(field) || root.misspells(field, rootFields))) return false;
  const known = Object.entries(others).find(([key]) => root.has(key));
  const hint = known?.[1] ?? 'journeyman new creates one.';
  root.error('DOC_KIND', 'This is not a journey: it has no apiVersion, kind, metadata or spec.', hint);
  return true;
}

/** Reads `apiVersion` and `kind`. Returns undefined if the document cannot be loaded. */
export function readKind(root: Place): 'Journey' | 'Api' | undefined {
  const version = root.at('apiVersion');
  if (version.value !== 'v1' && !(version.value === undefined && root.misspells('apiVersion', rootFields)))
    version.error('DOC_API_VERSION', `apiVersion must be v1, not ${describeType(version.value)}.`);
  const kind = root.at('kind');
  if (kind.value === 'Journey' || kind.value === 'Api') return kind.value;
  if (kind.value === undefined && root.misspells('kind', rootFields)) return undefined;
  const hint =
    kind.value === 'MetadataLimits'
      ? 'MetadataLimits is configuration, not a journey.'
      : kind.value === 'Pipeline'
        ? 'The file of a pipeline must be named <name>.pipeline.yaml.'
        : undefined;
  kind.error(
    'DOC_KIND',
    `kind must be Journey or Api, not ${describeType(kind.value)}.`,
    hint ?? (typeof kind.value === 'string' ? didYouMean(kind.value, ['Journey', 'Api']) : undefined),
  );
  return undefined;
}

/** Reads `metadata`. */
export function readIdentity(root: Place, options: LoadOptions): Identity {
  const place = root.at('metadata');
  if (!isBlock(place, 'FIELD_TYPE', 'metadata') && place.value === undefined && !root.misspells('metadata', rootFields))
    root.error('FIELD_REQUIRED', 'The document has no metadata.', 'Add metadata with name and version.', 'key');
  place.only(['name', 'version', 'description', 'tags'], 'warning', (key) =>
    key === 'bindings' ? 'It belongs under spec.metadata.' : undefined,
  );
  const name = place.object ? text(place.at('name'), 'META_NAME', 'metadata.name') : '';
  if (name && !isDocumentName(name)) place.at('name').error('META_NAME', `"${name}" is not a valid name.`);
  if (name && isReservedName(name)) place.at('name').error('META_NAME_RESERVED', `"${name}" is a reserved name.`);
  const given = place.at('version');
  if (typeof given.value === 'number')
    given.error('META_VERSION', `A version has three numbers, not ${describeType(given.value)}.`);
  const version =
    place.object && typeof given.value !== 'number' ? text(given, 'META_VERSION', 'metadata.version') : '';
  if (version && !isVersion(version))
    place.at('version').error('META_VERSION', `"${version}" is not a semantic version.`);
  const tags = texts(place.at('tags'), 'META_TAGS', 'metadata.tags');
  const { definitionTags, runTags, tagLength } = options.metadata ?? defaultMetadataLimits;
  const most = Math.min(definitionTags, runTags);
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

const sources = [
  { block: 'fromPayload', field: 'path' },
  { block: 'fromHeaders', field: 'header' },
  { block: 'fromBaggage', field: 'key' },
] as const;

/** Reads `spec.metadata.bindings`: the sources of a run's tags and attributes. */
export function readMetadata(spec: Place, { metadata: limits }: LoadOptions): MetadataBindings {
  const metadata = spec.at('metadata');
  if (isBlock(metadata, 'META_BINDING_SHAPE', 'metadata')) metadata.only(['bindings'], 'warning');
  const bindings = metadata.at('bindings');
  if (isBlock(bindings, 'META_BINDING_SHAPE', 'bindings')) bindings.only(['tags', 'attributes'], 'warning');
  return { tags: readTags(bindings.at('tags')), attributes: readAttributes(bindings.at('attributes'), limits) };
}

function readTags(place: Place): MetadataSource[] {
  const known = sources.map(({ block }) => block);
  if (isBlock(place, 'META_BINDING_SHAPE', 'tags')) place.only(known, 'error');
  return sources.flatMap(({ block, field }) =>
    list(place.at(block), 'META_BINDING_SHAPE', block).flatMap((item) => readSource(item, field) ?? []),
  );
}

function readAttributes(place: Place, { keyLength } = defaultMetadataLimits): MetadataBindings['attributes'] {
  const out: MetadataBindings['attributes'] = [];
  isBlock(place, 'META_BINDING_SHAPE', 'attributes');
  const add = (name: string, source: MetadataSource | undefined, at: Place) => {
    if (name.trim() === '') at.error('META_BINDING_SHAPE', 'The attribute has no name.', undefined, 'key');
    else if (name.length > keyLength)
      at.error('META_BINDING_SHAPE', `The name has more than ${keyLength} characters.`, undefined, 'key');
    else if (source) out.push({ name, ...source });
  };
  for (const [key, item] of place.entries()) {
    const source = sources.find(({ block }) => block === key);
    if (source) {
      isBlock(item, 'META_BINDING_SHAPE', key);
      for (const [name, inner] of item.entries()) add(name, readSource(inner, source.field), inner);
      continue;
    }
    const short = sources.find(({ field }) => item.has(field));
    if (short) {
      item.compat('C14', `The attribute "${key}" names its source directly.`);
      add(key, readSource(item, short.field), item);
    } else
      item.error(
        'META_BINDING_SHAPE',
        `"${key}" is neither fromPayload, fromHeaders nor fromBaggage.`,
        sources.flatMap(({ block, field }) =>
          item.has(block) ? `Write ${block}: { ${key}: { ${field}: … } }.` : [],
        )[0],
        'key',
      );
  }
  return out;
}

function readSource(place: Place, field: 'path' | 'header' | 'key'): MetadataSource | undefined {
  if (!isBlock(place, 'META_BINDING_SHAPE', 'A binding')) return undefined;
  place.only([field], 'error');
  if (field === 'path') {
    const path = dotPath(place.at('path'), 'META_BINDING_SHAPE', 'path');
    return path && { from: 'payload', path };
  }
  const name = text(place.at(field), 'META_BINDING_SHAPE', field);
  if (name === undefined) return undefined;
  return field === 'header' ? { from: 'header', header: name } : { from: 'baggage', key: name };
}
