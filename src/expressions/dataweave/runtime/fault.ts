import type { Code } from '../../../problems/registry.js';

/**
 * An evaluation that failed; `rescuable` ones are what `default` turns into its right side. No Error: `default` and `try`
 * make failures ordinary, and capturing the host's stack, which nobody reads, would cost more than all the rest.
 */
export class Fault {
  constructor(
    readonly code: Code,
    readonly message: string,
    readonly rescuable = false,
    /** What `try` reports as the kind of error. */
    readonly label = 'Exception',
  ) {}
  /** Where in the source; set once, by the innermost node that knows its position. */
  start = -1;
  end = -1;
  /** Happened while computing an element that the real engine computes only when it is read. */
  late = false;
}

/** `error`, located at this node if it is a fault that had no position yet. */
export function at(error: unknown, start: number, end: number): unknown {
  if (error instanceof Fault && error.start === -1) {
    error.start = start;
    error.end = end;
  }
  return error;
}

/** A value of the wrong type, which `default` does not rescue. */
export function typeFault(message: string): Fault {
  return new Fault('DW_TYPE_MISMATCH', message, false, 'UnexpectedFunctionCallTypesException');
}

/** A value that cannot be turned into another type: `default` rescues it. */
export function coercionFault(from: string, to: string): Fault {
  return new Fault('DW_TYPE_MISMATCH', `Cannot coerce ${from} to ${to}`, true, 'UnsupportedTypeCoercionException');
}
