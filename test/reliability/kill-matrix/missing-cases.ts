import { stateCases, taskCases } from './cases.js';

/** The state types and task kinds without a case. */
export function missingCases(registered: readonly string[]): string[] {
  const covered = new Set([...stateCases, ...taskCases].map(({ name }) => name));
  return registered.filter((name) => !covered.has(name));
}
