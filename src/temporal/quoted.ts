import { searchable } from '../../workflows/search-attributes.js';

/** A text of ours in Temporal's list filter; quotes inside it are doubled, so that no value can become part of the query. */
export function quoted(text: string): string {
  return `'${searchable(text).replaceAll("'", "''")}'`;
}
