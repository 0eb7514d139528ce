import type { MetadataLimits } from '../definition/metadata-limits.js';
import type { Json, JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';

/** Sets an attribute, at most once. */
export function setOnce(attributes: JsonObject, key: string, value: Json): void {
  if (Object.hasOwn(attributes, key))
    refuse('ATTRIBUTE_OVERWRITE', `The attribute '${key}' has a value already; attributes are written once.`);
  attributes[key] = attributeText(value);
}

/** An attribute's text: strings as they are, everything else as JSON. */
function attributeText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Refuses more or longer tags than the limits allow. */
export function checkTags(tags: string[], { instanceTags: most, tagLength }: MetadataLimits): void {
  if (tags.length > most || tags.some((tag) => tag.length > tagLength)) {
    refuse('METADATA_LIMIT', `At most ${most} tags of ${tagLength} characters.`);
  }
}

/** Refuses more or longer attributes than the limits allow. */
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
