import type { CompiledCode } from '../runtime/evaluation-state.js';
import { T } from '../runtime/values.js';

/** Compiled code with the static types of its value. */
export interface TypedCode {
  readonly code: CompiledCode;
  /** Possible types of the value. */
  readonly mask: number;
  /** Types that some elements definitely have, for an array literal. */
  readonly elements: number;
}

/** `code` with its static types; unknown by default. */
export function typed(code: CompiledCode, mask: number = T.Any, elements: number = T.Any): TypedCode {
  return { code, mask, elements };
}

/** Whether the type is unknown. */
export function isUnknownType(mask: number): boolean {
  return (mask & T.Any) === T.Any;
}
