import type { Definition } from '../definition/definition.js';
import type { EndedSpan } from '../engine/trace.js';
import { allStates } from './graphs.js';

/** An error's code as metrics and traces tell it: they hold no values, so a code that a journey computed counts as one of all such. */
export function toldCode(definition: Definition, { code, isAuthored }: Pick<EndedSpan, 'code' | 'isAuthored'>) {
  return code !== undefined && isAuthored && !isWritten(code, definition) ? 'COMPUTED' : code;
}

/** A span as it is told. */
export function toldSpan(definition: Definition, span: EndedSpan): EndedSpan {
  const code = toldCode(definition, span);
  return { ...span, ...(code !== undefined && { code }) };
}

/** Whether a code stands in the document. */
function isWritten(code: string, definition: Definition): boolean {
  for (const { state } of allStates(definition)) if (state.type === 'fail' && state.errorCode === code) return true;
  return false;
}
