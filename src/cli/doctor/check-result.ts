import { type Problem, ProblemError } from '../../base/problems/problem.js';

/** Result of a check. Only `bad` stops Journeyman from working. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'bad' | 'info';
  readonly detail: string;
  readonly hint?: string;
}

export const ok = (id: string, name: string, detail: string): Check => ({ id, name, status: 'ok', detail });
export const warn = (id: string, name: string, detail: string, hint?: string): Check => ({
  id,
  name,
  status: 'warn',
  detail,
  ...(hint === undefined ? {} : { hint }),
});
export const bad = (id: string, name: string, detail: string, hint: string): Check => ({
  id,
  name,
  status: 'bad',
  detail,
  hint,
});

export function failedCheck(id: string, name: string, error: unknown): Check {
  const it: Partial<Problem> = error instanceof ProblemError ? error.problem : {};
  const hint = it.hint === undefined ? {} : { hint: it.hint };
  return { id, name, status: 'bad', detail: it.detail ?? (error as Error).message, ...hint };
}
