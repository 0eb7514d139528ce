import { searchable } from '../../workflows/shared/run-search-attributes.js';

/** Quotes a value for Temporal's list filter; doubled quotes prevent injection. */
export function queryLiteral(text: string): string {
  return `'${searchable(text).replaceAll("'", "''")}'`;
}
