import { nearest } from '../expressions/nearest.js';

/** "Did you mean …?", or what is known when the list is short, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  const near = nearest(name, names);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return names.length > 0 && names.length <= 12 ? `Known: ${names.join(', ')}.` : undefined;
}
