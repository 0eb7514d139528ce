import type { Definition } from '../../engine/definition/definition.js';
import type { EndedSpan } from '../../engine/trace-context-and-run-spans.js';
import { errorCodes } from './graph-traversal.js';

/** The error code for metrics and traces. They must not contain values, so every computed code is reported as `COMPUTED`. */
export function publicErrorCode(definition: Definition, { code, isAuthored }: Pick<EndedSpan, 'code' | 'isAuthored'>) {
  return code !== undefined && isAuthored && !errorCodes(definition).has(code) ? 'COMPUTED' : code;
}

/** The span with its public error code. */
export function publicSpan(definition: Definition, span: EndedSpan): EndedSpan {
  const code = publicErrorCode(definition, span);
  return { ...span, ...(code !== undefined && { code }) };
}
