import type { MetadataBindings, MetadataSource } from '../../definition/definition.js';
import { defaultMetadataLimits } from '../../definition/metadata-limits.js';
import { dotPath, isBlock, list, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import type { LoadOptions } from '../../reading/load-options.js';

const sources = [
  { block: 'fromPayload', field: 'path' },
  { block: 'fromHeaders', field: 'header' },
  { block: 'fromBaggage', field: 'key' },
] as const;

/** `spec.metadata.bindings`: where an instance's tags and attributes come from. */
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
