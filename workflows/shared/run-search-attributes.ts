import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType as Type } from '@temporalio/common';
import { jsonBytes } from '../../src/base/json/size.js';
import { canonical, type Json, type JsonObject } from '../../src/base/json/value.js';
import type { Definition } from '../../src/engine/definition/definition.js';

/** The search attributes of a run. SQL visibility supports ten Keywords; these are nine and a list. */
export const keys = {
  JourneyName: defineSearchAttributeKey('JourneyName', Type.KEYWORD),
  JourneyVersion: defineSearchAttributeKey('JourneyVersion', Type.KEYWORD),
  JourneyState: defineSearchAttributeKey('JourneyState', Type.KEYWORD),
  JourneyOutcome: defineSearchAttributeKey('JourneyOutcome', Type.KEYWORD),
  SubjectId: defineSearchAttributeKey('SubjectId', Type.KEYWORD),
  TenantId: defineSearchAttributeKey('TenantId', Type.KEYWORD),
  ScheduleKind: defineSearchAttributeKey('ScheduleKind', Type.KEYWORD),
  OrchestratorId: defineSearchAttributeKey('OrchestratorId', Type.KEYWORD),
  /** The caller that started the run, inherited by runs of its schedules and by its compensation. */
  StartedBy: defineSearchAttributeKey('StartedBy', Type.KEYWORD),
  JourneyTags: defineSearchAttributeKey('JourneyTags', Type.KEYWORD_LIST),
} as const;

export type AttributeValues = Partial<Record<Exclude<keyof typeof keys, 'JourneyTags'>, string | undefined>> & {
  JourneyTags?: string[];
};

/** The `JourneyOutcome` of a running run that waits for a step. */
export const awaitsStep = 'AWAITS_STEP';

/** Search attributes of a run from its definition and metadata. Attributes are tags of the form `key=value`. */
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

/** The longest Keyword in SQL visibility, and the maximum size of one attribute in bytes, minus some for the brackets. */
const longestKeyword = 255;
const mostBytes = 2_000;

/**
 * A text as a Keyword, and in queries for it: cut to fit, and with escapes for characters that queries cannot contain. SQL visibility finds no
 * value with a backslash, a double quote, a control character, or a quote at either end.
 */
export function searchable(text: string): string {
  const plain = text.replaceAll(
    unsearchable,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  if (plain.length <= longestKeyword) return plain;
  return Array.from(plain).slice(0, longestKeyword).join('').replace(/'+$/, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const unsearchable = /[\u0000-\u001f\u007f"\\]|^'|'$|%(?=[0-9A-F]{2})/g;

/** The original text of such a Keyword. */
export function searched(keyword: string): string {
  return keyword.replaceAll(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The texts that fit into one attribute; the rest cannot be searched for. */
function fitting(texts: readonly string[]): string[] {
  let bytes = 0;
  return texts.map(searchable).filter((text) => {
    bytes += jsonBytes(text) + 1;
    return bytes <= mostBytes;
  });
}

/** The values as Temporal's typed pairs, without those that `before` already contains. A value that is now undefined is removed. */
export function pairs(values: AttributeValues, before: AttributeValues = {}): SearchAttributePair[] {
  return Object.entries(values)
    .filter(
      ([name, value]) =>
        canonical((value ?? null) as Json) !== canonical((before[name as keyof AttributeValues] ?? null) as Json),
    )
    .map(([name, value]) => {
      const fit = Array.isArray(value) ? fitting(value) : value === undefined ? null : searchable(value);
      return { key: keys[name as keyof typeof keys], value: fit } as SearchAttributePair;
    });
}
