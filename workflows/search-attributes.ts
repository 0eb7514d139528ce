import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType as Type } from '@temporalio/common';
import { canonical, type Json, type JsonObject } from '../src/json/value.js';
import type { Definition } from '../src/spec/definition.js';

/** The search attributes of a run. SQL visibility has room for ten Keywords; these are eight and a list. */
export const keys = {
  JourneyName: defineSearchAttributeKey('JourneyName', Type.KEYWORD),
  JourneyVersion: defineSearchAttributeKey('JourneyVersion', Type.KEYWORD),
  JourneyState: defineSearchAttributeKey('JourneyState', Type.KEYWORD),
  JourneyOutcome: defineSearchAttributeKey('JourneyOutcome', Type.KEYWORD),
  SubjectId: defineSearchAttributeKey('SubjectId', Type.KEYWORD),
  TenantId: defineSearchAttributeKey('TenantId', Type.KEYWORD),
  ScheduleKind: defineSearchAttributeKey('ScheduleKind', Type.KEYWORD),
  OrchestratorId: defineSearchAttributeKey('OrchestratorId', Type.KEYWORD),
  JourneyTags: defineSearchAttributeKey('JourneyTags', Type.KEYWORD_LIST),
} as const;

export type AttributeValues = Partial<Record<Exclude<keyof typeof keys, 'JourneyTags'>, string>> & {
  JourneyTags?: string[];
};

/** What visibility knows of a run by its definition and metadata; attributes are found as `key=value` among the tags. */
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

/** The values as Temporal's typed pairs, less those that `before` has already. */
export function pairs(values: AttributeValues, before: AttributeValues = {}): SearchAttributePair[] {
  return Object.entries(values)
    .filter(
      ([name, value]) =>
        canonical(value as Json) !== canonical((before[name as keyof AttributeValues] ?? null) as Json),
    )
    .map(([name, value]) => ({ key: keys[name as keyof typeof keys], value }) as SearchAttributePair);
}
