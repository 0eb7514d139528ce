import { type Finding, ProblemError } from '../../base/problems/problem.js';

/** Moves the pointers of a problem into the caller's document: `inside` becomes `pointer`. */
export function withPointer<T>(pointer: string, check: () => T, inside = ''): T {
  try {
    return check();
  } catch (error) {
    throw relocateProblem(error, pointer, inside);
  }
}

/** The problem with relocated pointers. */
export function relocateProblem(error: unknown, pointer: string, inside = ''): unknown {
  if (!(error instanceof ProblemError)) return error;
  const move = (it = '') => `${pointer}${it.startsWith(inside) ? it.slice(inside.length) : it}`;
  const { errors, ...problem } = error.problem;
  return new ProblemError({
    ...problem,
    ...((problem.pointer !== undefined || pointer !== '') && { pointer: move(problem.pointer) }),
    ...(errors && { errors: errors.map((it): Finding => ({ ...it, pointer: move(it.pointer) })) }),
  });
}
