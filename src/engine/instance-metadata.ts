import type { Definition, MetadataSource } from '../definition/definition.js';
import { defaultMetadataLimits } from '../definition/metadata-limits.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { checkAttributes, checkTags, setOnce } from './metadata.js';

/** What a start offers to metadata bindings. */
interface Offer {
  body: Json;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** The tags and attributes that a run begins with. */
export interface Metadata {
  tags: string[];
  attributes: JsonObject;
}

/** The tags and attributes of a new instance: the definition's tags and what its bindings lift from the request. */
export function instanceMetadata(definition: Definition, request: Offer, limits = defaultMetadataLimits): Metadata {
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
