import { type Problem, ProblemError } from '../../base/problems/problem.js';
import { mapConcurrently } from './map-concurrently.js';

const atOnce = 8;

/** Applies `work` to every id. A failure is reported as the problem of its id and does not stop the others. */
export async function eachWithProblem<T>(
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): Promise<({ id: string } & ({ done: T } | { problem: Problem }))[]> {
  return await mapConcurrently(ids, atOnce, async (id) => {
    try {
      return { id, done: await work(id) };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { id, problem: error.problem };
    }
  });
}
