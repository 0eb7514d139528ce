import { keys } from '../../workflows/shared/run-search-attributes.js';

export type SearchAttributeName = keyof typeof keys;

const typeNames = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** Search attributes of every run, with their types as named by the CLI. */
export const searchAttributes = Object.fromEntries(
  Object.values(keys).map(({ name, type }) => [name, typeNames[type]]),
) as Record<SearchAttributeName, 'Keyword' | 'KeywordList'>;

/** The numbers of Temporal's `IndexedValueType`. */
export const indexedValueType = { Keyword: 2, KeywordList: 7 } as const;
