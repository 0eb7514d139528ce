import { nearestName } from '../base/problems/nearest-name.js';
import type { ProblemExtras } from '../base/problems/problem.js';

/** A hint with the closest known name. */
export function suggestion(name: string, names: readonly string[]): ProblemExtras {
  const near = name.length > 100 ? undefined : nearestName(name, names);
  return near === undefined ? {} : { hint: `Did you mean ${near}?` };
}

/** Quotes text of a caller, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
