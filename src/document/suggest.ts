import type { Json } from '../json/value.js';
import { nearest } from '../problems/nearest.js';

/** Beyond this many names, comparing with each would cost more than the hint is worth. */
const mostCompared = 500;

/** "Did you mean …?", or what is known when the list is short, or nothing. */
export function didYouMean(name: Json | undefined, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.length > mostCompared) return undefined;
  const near = typeof name === 'string' ? nearest(name, names) : undefined;
  if (near !== undefined) return `Did you mean "${near}"?`;
  return names.length > 0 && names.length <= 12 ? `Known: ${names.join(', ')}.` : undefined;
}
