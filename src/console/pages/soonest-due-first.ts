import type { OpenStepItem } from '../api/run-types.js';

/** The steps of a page by their due time; those without a time limit come last, in the order of the API. */
export function soonestDueFirst(steps: readonly OpenStepItem[]): OpenStepItem[] {
  const due = ({ dueAt }: OpenStepItem) => (dueAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(dueAt));
  return [...steps].sort((a, b) => due(a) - due(b));
}
