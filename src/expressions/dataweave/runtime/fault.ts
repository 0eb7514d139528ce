import { ProblemError, problem } from '../../../problems/problem.js';
import type { Code } from '../../../problems/registry.js';

/** Line and column, both from 1, of an offset. */
export function place(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let i = source.indexOf('\n'); i !== -1 && i < offset; i = source.indexOf('\n', i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** A problem found while reading `source`: says where, and may say what to write instead. */
export function sourceProblem(
  code: Code,
  source: string,
  start: number,
  end: number,
  detail: string,
  hint?: string,
): ProblemError {
  const { line, column } = place(source, start);
  const at = { line, column, length: Math.max(1, end - start) };
  return new ProblemError(
    problem(code, `${detail} (line ${line}, column ${column})`, { ...at, ...(hint ? { hint } : {}) }),
  );
}

/**
 * An evaluation that failed; `rescuable` ones are what `default` turns into its right side. No Error: `default` and `try`
 * make failures ordinary, and the host's stack, which nobody reads, costs more than all the rest of one.
 */
export class Fault {
  constructor(
    readonly code: Code,
    readonly message: string,
    readonly rescuable = false,
    /** What `try` reports as the kind of error. */
    readonly label = 'Exception',
  ) {}
  /** Where in the source; set once, by the innermost node that knows its place. */
  start = -1;
  end = -1;
  /** Happened while computing an element that the real engine computes only when somebody looks at it. */
  late = false;
}

/** `error`, which knows its place from now on if it is a failure that did not. */
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
