import { jsonBytes } from '../base/json/size.js';
import type { Json, JsonObject } from '../base/json/value.js';
import { type Problem, ProblemError, problem } from '../base/problems/problem.js';
import type { Outcome } from './outcome.js';

/** Returns a problem if a value has more than `most` bytes. */
export function sizeProblem(what: string, bytes: number, most: number): Problem | undefined {
  if (bytes <= most) return undefined;
  return problem('PAYLOAD_TOO_LARGE', `${what} has ${bytes} bytes as JSON; the limit is ${most}.`, {
    hint: 'Keep less in the context: select the needed fields with a transform, and set outputVar.',
  });
}

/** Returns the size of a value as JSON, if it is limited. Rejects a value that exceeds the limit. */
export function checkedSize(what: string, value: Json, most: number | undefined): number | undefined {
  if (most === undefined) return undefined;
  const bytes = jsonBytes(value);
  const excess = sizeProblem(what, bytes, most);
  if (excess) throw new ProblemError(excess);
  return bytes;
}

/** Runs that end in `succeed` or `fail` advance the context; timeouts, cancels and internal errors do not. */
export function advancesContext({ terminationKind }: Outcome): boolean {
  return terminationKind === 'Success' || terminationKind === 'Fail';
}

/** Fails a run whose context exceeds the limit. The next run then starts from the same context as this one. */
export function withinContextLimit(outcome: Outcome, context: JsonObject, contextBytes: number): Outcome {
  const bytes = jsonBytes(context);
  if (bytes <= contextBytes || !advancesContext(outcome)) return outcome;
  return {
    ...outcome,
    phase: 'FAILED',
    terminationKind: 'RuntimeError',
    output: null,
    error: {
      code: 'CONTEXT_TOO_LARGE',
      reason: `The context has ${bytes} bytes; the limit is ${contextBytes}. The next run starts from the previous context.`,
    },
    status: 'CONTEXT_TOO_LARGE',
  };
}
