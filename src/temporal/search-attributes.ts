/** The search attributes of every run: eight Keywords and a list, within the ten that SQL visibility has room for. */
export const searchAttributes = {
  JourneyName: 'Keyword',
  JourneyVersion: 'Keyword',
  JourneyState: 'Keyword',
  JourneyOutcome: 'Keyword',
  SubjectId: 'Keyword',
  TenantId: 'Keyword',
  ScheduleKind: 'Keyword',
  OrchestratorId: 'Keyword',
  JourneyTags: 'KeywordList',
} as const;

export type SearchAttributeName = keyof typeof searchAttributes;

/** The numbers of Temporal's `IndexedValueType`. */
export const indexedValueType = { Keyword: 2, KeywordList: 7 } as const;
