import type { Code } from '../runtime/slots.js';
import { T } from '../runtime/values.js';

/** Compiled code, and what is known of its value before it is computed. */
export interface Typed {
  readonly code: Code;
  /** The types the value may have. */
  readonly mask: number;
  /** The types that some elements surely have, if it is an array literal. */
  readonly elements: number;
}

/** `code` with what is known of its value; nothing, where left out. */
export function typed(code: Code, mask: number = T.Any, elements: number = T.Any): Typed {
  return { code, mask, elements };
}

/** Whether nothing is known of a value's type. */
export function unknown(mask: number): boolean {
  return (mask & T.Any) === T.Any;
}
