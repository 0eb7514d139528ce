import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType as Type } from '@temporalio/common';
import type { Definition } from '../src/definition/definition.js';
import { jsonBytes } from '../src/json/size.js';
import { canonical, type Json, type JsonObject } from '../src/json/value.js';

/** The search attributes of a run. SQL visibility has room for ten Keywords; these are nine and a list. */
export const keys = {
  JourneyName: defineSearchAttributeKey('JourneyName', Type.KEYWORD),
  JourneyVersion: defineSearchAttributeKey('JourneyVersion', Type.KEYWORD),
  JourneyState: defineSearchAttributeKey('JourneyState', Type.KEYWORD),
  JourneyOutcome: defineSearchAttributeKey('JourneyOutcome', Type.KEYWORD),
  SubjectId: defineSearchAttributeKey('SubjectId', Type.KEYWORD),
  TenantId: defineSearchAttributeKey('TenantId', Type.KEYWORD),
  ScheduleKind: defineSearchAttributeKey('ScheduleKind', Type.KEYWORD),
  OrchestratorId: defineSearchAttributeKey('OrchestratorId', Type.KEYWORD),
  /** The caller whose run it is. Runs that another makes, by a schedule or as its compensation, have it from that one. */
  StartedBy: defineSearchAttributeKey('StartedBy', Type.KEYWORD),
  JourneyTags: defineSearchAttributeKey('JourneyTags', Type.KEYWORD_LIST),
} as const;

export type AttributeValues = Partial<Record<Exclude<keyof typeof keys, 'JourneyTags'>, string>> & {
  JourneyTags?: string[];
};

/** What visibility knows of a run from its definition and metadata; attributes are found as `key=value` among the tags. */
export function attributesOf(
  definition: Pick<Definition, 'name' | 'version'>,
  metadata: { tags: string[]; attributes: JsonObject },
): AttributeValues {
  const { subjectId, tenantId } = metadata.attributes;
  const tags = [
    ...metadata.tags,
    ...Object.entries(metadata.attributes).map(([key, value]) => `${key}=${String(value)}`),
  ];
  return {
    JourneyName: definition.name,
    JourneyVersion: definition.version,
    ...(typeof subjectId === 'string' && { SubjectId: subjectId }),
    ...(typeof tenantId === 'string' && { TenantId: tenantId }),
    ...(tags.length > 0 && { JourneyTags: tags }),
  };
}

/** The longest Keyword that SQL visibility holds, and the most bytes that a server takes for one attribute, less some for the brackets. */
const longestKeyword = 255;
const mostBytes = 2_000;

/**
 * A text as it stands in a Keyword, and in the query that looks for it: no longer than fits, and without what the query language cannot
 * say. SQL visibility finds no value with a backslash, a double quote, a control character, or a quote at either end.
 */
export function searchable(text: string): string {
  const plain = text.replaceAll(
    unsearchable,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  if (plain.length <= longestKeyword) return plain;
  return Array.from(plain).slice(0, longestKeyword).join('').replace(/'+$/, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const unsearchable = /[\u0000-\u001f\u007f"\\]|^'|'$|%(?=[0-9A-F]{2})/g;

/** The text of a Keyword of ours. */
export function searched(keyword: string): string {
  return keyword.replaceAll(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** As many of the texts as one attribute holds; the rest cannot be searched for. */
function fitting(texts: readonly string[]): string[] {
  let bytes = 0;
  return texts.map(searchable).filter((text) => {
    bytes += jsonBytes(text) + 1;
    return bytes <= mostBytes;
  });
}

/** The values as Temporal's typed pairs, less those that `before` has already. */
export function pairs(values: AttributeValues, before: AttributeValues = {}): SearchAttributePair[] {
  return Object.entries(values)
    .filter(
      ([name, value]) =>
        canonical(value as Json) !== canonical((before[name as keyof AttributeValues] ?? null) as Json),
    )
    .map(([name, value]) => {
      const fit = Array.isArray(value) ? fitting(value) : searchable(value);
      return { key: keys[name as keyof typeof keys], value: fit } as SearchAttributePair;
    });
}
