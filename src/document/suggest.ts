import type { Json } from '../json/value.js';
import { nearest } from '../problems/nearest.js';

/** Beyond this many names, comparing with each would cost more than the hint is worth. */
const mostCompared = 500;

/** "Did you mean …?", or what is known when the list is short, or nothing. */
export function didYouMean(name: Json | undefined, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.length > mostCompared) return undefined;
  const meant = typeof name === 'string' ? meantBy(name, names) : undefined;
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return names.length > 0 && names.length <= 12 ? `Known: ${names.join(', ')}.` : undefined;
}

/** The name that was most likely meant: `timeout` is rather `timeoutSec` than `onTimeout`, which has fewer letters of its own. */
export function meantBy(word: string, names: readonly string[]): string | undefined {
  return (
    nearest(word, names, 1) ??
    only(names, (name) => word.length >= 3 && name.toLowerCase().startsWith(word.toLowerCase())) ??
    only(names, (name) => name.length >= 4 && word.toLowerCase().startsWith(name.toLowerCase())) ??
    nearest(word, names) ??
    only(names, (name) => word.length >= 4 && name.endsWith(word.charAt(0).toUpperCase() + word.slice(1)))
  );
}

function only(names: readonly string[], fits: (name: string) => boolean): string | undefined {
  const [first, ...others] = names.filter(fits);
  return others.length === 0 ? first : undefined;
}
