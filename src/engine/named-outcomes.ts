import type { Json } from '../json/value.js';
import { ProblemError } from '../problems/problem.js';
import { withField } from './context.js';
import type { End } from './outcome.js';
import type { Run } from './run.js';

/** The id of the first named outcome that fits, in the order they are written. Classifying never changes the outcome. */
export async function classify(run: Run, outcome: End): Promise<string | undefined> {
  const error: Json = outcome.error;
  const frame = { ...run.position.root, context: withField(outcome.context, 'error', error) };
  for (const { id, phase, predicate } of run.definition.outcomes) {
    if (phase !== undefined && phase !== outcome.phase) continue;
    if (!predicate) return id;
    try {
      if ((await run.evaluate(predicate, 'outcome', frame, { output: outcome.output, error })) === true) return id;
    } catch (failed) {
      if (!(failed instanceof ProblemError)) throw failed;
    }
  }
  return undefined;
}
