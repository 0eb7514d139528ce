import type { Json } from '../json/value.js';
import { nearestName } from '../problems/nearest-name.js';

/** Maximum number of names to compare with; beyond it a hint is not worth its cost. */
const mostCompared = 500;

/** "Did you mean …?", or the known names if they are few, or nothing. */
export function didYouMean(name: Json | undefined, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.length > mostCompared) return undefined;
  const meant = typeof name === 'string' ? likelyName(name, names) : undefined;
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return names.length > 0 && names.length <= 12 ? `Known: ${names.join(', ')}.` : undefined;
}

/** The most likely name: `timeout` matches `timeoutSec` rather than `onTimeout`. */
export function likelyName(word: string, names: readonly string[]): string | undefined {
  return (
    nearestName(word, names, 1) ??
    only(names, (name) => word.length >= 3 && name.toLowerCase().startsWith(word.toLowerCase())) ??
    only(names, (name) => name.length >= 4 && word.toLowerCase().startsWith(name.toLowerCase())) ??
    nearestName(word, names) ??
    only(names, (name) => word.length >= 4 && name.endsWith(word.charAt(0).toUpperCase() + word.slice(1)))
  );
}

function only(names: readonly string[], fits: (name: string) => boolean): string | undefined {
  const [first, ...others] = names.filter(fits);
  return others.length === 0 ? first : undefined;
}
