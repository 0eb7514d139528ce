import { jsonBytes } from '../json/size.js';
import type { Json } from '../json/value.js';
import { type Problem, ProblemError, problem } from '../problems/problem.js';

/** The problem when a value has more than `most` bytes. */
export function excessOf(what: string, bytes: number, most: number): Problem | undefined {
  if (bytes <= most) return undefined;
  return problem('PAYLOAD_TOO_LARGE', `${what} has ${bytes} bytes as JSON; the limit is ${most}.`, {
    hint: 'Keep less in the context: pick what is needed with a transform, and name the output with outputVar.',
  });
}

/** The size of a value as JSON, where it is bounded; refused beyond the bound. */
export function measured(what: string, value: Json, most: number | undefined): number | undefined {
  if (most === undefined) return undefined;
  const bytes = jsonBytes(value);
  const excess = excessOf(what, bytes, most);
  if (excess) throw new ProblemError(excess);
  return bytes;
}
