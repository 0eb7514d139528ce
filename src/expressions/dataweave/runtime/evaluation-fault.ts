import type { Code } from '../../../base/problems/registry.js';

/**
 * A failed evaluation. A `rescuable` fault makes `default` use its right side. Not an Error: `default` and `try` make faults common, and
 * capturing an unused host stack would dominate their cost.
 */
export class Fault {
  constructor(
    readonly code: Code,
    readonly message: string,
    readonly rescuable = false,
    /** Kind of the error in the result of `try`. */
    readonly label = 'Exception',
  ) {}
  /** Source position, set once by the innermost node with a position. */
  start = -1;
  end = -1;
  /** Occurred while computing an element that the reference engine computes lazily. */
  late = false;
}

/** Adds this node's position to a fault that has none yet. */
export function withPosition(error: unknown, start: number, end: number): unknown {
  if (error instanceof Fault && error.start === -1) {
    error.start = start;
    error.end = end;
  }
  return error;
}

/** A value of the wrong type. `default` does not rescue it. */
export function typeFault(message: string): Fault {
  return new Fault('DW_TYPE_MISMATCH', message, false, 'UnexpectedFunctionCallTypesException');
}

/** A value that cannot be converted. `default` rescues it. */
export function coercionFault(from: string, to: string): Fault {
  return new Fault('DW_TYPE_MISMATCH', `Cannot coerce ${from} to ${to}`, true, 'UnsupportedTypeCoercionException');
}
