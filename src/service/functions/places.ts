import { type Finding, ProblemError } from '../../problems/problem.js';

/** Puts what a check found at its place in what the caller sent: `pointer` stands for what the check calls `inside`. */
export function at<T>(pointer: string, check: () => T, inside = ''): T {
  try {
    return check();
  } catch (error) {
    throw placed(error, pointer, inside);
  }
}

/** The same problem, with its places moved. */
export function placed(error: unknown, pointer: string, inside = ''): unknown {
  if (!(error instanceof ProblemError)) return error;
  const move = (it = '') => `${pointer}${it.startsWith(inside) ? it.slice(inside.length) : it}`;
  const { errors, ...problem } = error.problem;
  return new ProblemError({
    ...problem,
    ...((problem.pointer !== undefined || pointer !== '') && { pointer: move(problem.pointer) }),
    ...(errors && { errors: errors.map((it): Finding => ({ ...it, pointer: move(it.pointer) })) }),
  });
}
