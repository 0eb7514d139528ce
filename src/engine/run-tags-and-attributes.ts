import { emptyObject, isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Definition, MetadataSource } from './definition/definition.js';
import { defaultMetadataLimits, type MetadataLimits } from './definition/metadata-limits.js';

/** The parts of a start request that metadata bindings may read. */
interface Offer {
  body: Json;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** The initial tags and attributes of a run. */
export interface Metadata {
  tags: string[];
  attributes: JsonObject;
}

/** Returns the tags and attributes of a new run: the definition's tags and the values that its bindings read from the request. */
export function initialMetadata(definition: Definition, request: Offer, limits = defaultMetadataLimits): Metadata {
  const tags = new Set(definition.tags);
  for (const source of definition.metadata.tags) {
    const value = lift(source, request);
    if (typeof value === 'string' && value !== '') tags.add(value);
  }
  const attributes = emptyObject();
  for (const source of definition.metadata.attributes) {
    const value = lift(source, request);
    if (value !== undefined && value !== null) setAttributeOnce(attributes, source.name, value);
  }
  checkTags([...tags], limits);
  checkAttributes(attributes, limits);
  return { tags: [...tags], attributes };
}

function lift(source: MetadataSource, request: Offer): Json | undefined {
  switch (source.from) {
    case 'payload': {
      let value: Json | undefined = request.body;
      for (const field of source.path) value = isObject(value) ? own(value, field) : undefined;
      return value;
    }
    case 'header':
      return own(request.headers as JsonObject, source.header.toLowerCase());
    case 'baggage':
      return baggage(request.headers.baggage ?? '').get(source.key);
  }
}

function baggage(header: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const member of header.split(',')) {
    const [pair = ''] = member.split(';');
    const at = pair.indexOf('=');
    if (at > 0) entries.set(pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim()));
  }
  return entries;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Sets an attribute, at most once. */
export function setAttributeOnce(attributes: JsonObject, key: string, value: Json): void {
  if (Object.hasOwn(attributes, key))
    refuse('ATTRIBUTE_OVERWRITE', `The attribute '${key}' already has a value; attributes are written once.`);
  attributes[key] = attributeText(value);
}

/** The text of an attribute: strings unchanged, other values as JSON. */
function attributeText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Rejects tags that exceed the limits in number or length. */
function checkTags(tags: string[], { runTags: most, tagLength }: MetadataLimits): void {
  if (tags.length > most || tags.some((tag) => tag.length > tagLength)) {
    refuse('METADATA_LIMIT', `At most ${most} tags of ${tagLength} characters.`);
  }
}

/** Rejects attributes that exceed the limits in number or length. */
export function checkAttributes(
  attributes: JsonObject,
  { attributes: count, keyLength, valueLength }: MetadataLimits,
): void {
  const entries = Object.entries(attributes);
  if (
    entries.length > count ||
    entries.some(([key, value]) => key.length > keyLength || String(value).length > valueLength)
  ) {
    refuse(
      'METADATA_LIMIT',
      `At most ${count} attributes; names up to ${keyLength}, values up to ${valueLength} characters.`,
    );
  }
}
