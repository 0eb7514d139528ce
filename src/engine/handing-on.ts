import { jsonBytes } from '../json/size.js';
import type { JsonObject } from '../json/value.js';
import type { Outcome } from './outcome.js';

/** Ends that the journey's author wrote advance the context; timeouts, cancels and internal errors do not. */
export function handsOn({ terminationKind }: Outcome): boolean {
  return terminationKind === 'Success' || terminationKind === 'Fail';
}

/** A run must not hand on more than the limit: it fails instead, and the next one starts where this one did. */
export function withinContextLimit(outcome: Outcome, context: JsonObject, contextBytes: number): Outcome {
  const bytes = jsonBytes(context);
  if (bytes <= contextBytes || !handsOn(outcome)) return outcome;
  return {
    ...outcome,
    phase: 'FAILED',
    terminationKind: 'RuntimeError',
    output: null,
    error: {
      code: 'CONTEXT_TOO_LARGE',
      reason: `The context has ${bytes} bytes; the limit is ${contextBytes}. The next run starts from the previous one.`,
    },
    status: 'CONTEXT_TOO_LARGE',
  };
}
