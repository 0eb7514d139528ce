import type { Json } from '../json/value.js';
import { ProblemError } from '../problems/problem.js';
import { withField } from './context.js';
import type { End } from './outcome.js';
import type { Run } from './run.js';

/** The id of the first named outcome that fits, in the order they are written. Classifying never changes the outcome. */
export async function classify(run: Run, outcome: End): Promise<string | undefined> {
  const error: Json = outcome.error;
  const { context } = outcome;
  // Authors look for the error in the context, though nothing puts it there; a field of that name is theirs.
  const shown = Object.hasOwn(context, 'error') ? context : withField(context, 'error', error);
  const frame = { ...run.position.root, context: shown };
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
