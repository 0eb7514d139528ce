import type { Definition, MetadataSource } from '../definition/definition.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';

/** The limits on an instance's tags and attributes (the reference's built-in defaults). */
export const metadataLimits = { tags: 16, tagLength: 40, attributes: 16, keyLength: 32, valueLength: 256 } as const;

/** What a start request offers to metadata bindings; header names in lower case. */
export interface StartRequest {
  body: Json;
  headers: Readonly<Record<string, string>>;
}

/** The tags and attributes of a new instance: the definition's tags and what its bindings lift from the request. */
export function instanceMetadata(
  definition: Definition,
  request: StartRequest,
): { tags: string[]; attributes: JsonObject } {
  const tags = new Set(definition.tags);
  for (const source of definition.metadata.tags) {
    const value = lift(source, request);
    if (typeof value === 'string' && value !== '') tags.add(value);
  }
  const attributes = emptyObject();
  for (const source of definition.metadata.attributes) {
    const value = lift(source, request);
    if (value !== undefined && value !== null) setOnce(attributes, source.name, value);
  }
  checkTags([...tags]);
  checkAttributes(attributes);
  return { tags: [...tags], attributes };
}

function lift(source: MetadataSource, request: StartRequest): Json | undefined {
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

/** Sets an attribute, which is possible once. */
export function setOnce(attributes: JsonObject, key: string, value: Json): void {
  if (Object.hasOwn(attributes, key))
    refuse('ATTRIBUTE_OVERWRITE', `The attribute '${key}' has a value already; attributes are written once.`);
  attributes[key] = attributeText(value);
}

/** An attribute's text: strings as they are, everything else as JSON. */
function attributeText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function checkTags(tags: string[]): void {
  if (tags.length > metadataLimits.tags || tags.some((tag) => tag.length > metadataLimits.tagLength)) {
    refuse('METADATA_LIMIT', `At most ${metadataLimits.tags} tags of ${metadataLimits.tagLength} characters.`);
  }
}

/** Refuses more or longer attributes than the limits allow. */
export function checkAttributes(attributes: JsonObject): void {
  const entries = Object.entries(attributes);
  const { attributes: count, keyLength, valueLength } = metadataLimits;
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
