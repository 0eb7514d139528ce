import { nearest } from '../problems/nearest.js';
import type { ProblemExtras } from '../problems/problem.js';

/** A hint with the known name closest to the one asked for. */
export function didYouMean(name: string, names: readonly string[]): ProblemExtras {
  const near = name.length > 100 ? undefined : nearest(name, names);
  return near === undefined ? {} : { hint: `Did you mean ${near}?` };
}

/** What a caller wrote, short enough to be repeated. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
