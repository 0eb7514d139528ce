import type { Json } from '../../json/value.js';
import type { SucceedState } from '../../spec/definition.js';
import { withoutField } from '../context.js';
import type { Frame } from '../frame.js';
import { success } from '../outcome.js';
import type { Step } from '../walk.js';

/** Ends with `context.<outputVar>`, or with the whole context less the last submission. */
export function succeed(state: SucceedState, frame: Frame): Step {
  const { outputVar } = state;
  const named = outputVar !== undefined && Object.hasOwn(frame.context, outputVar);
  const output = named ? (frame.context[outputVar] as Json) : withoutField(frame.context, 'payload');
  return { end: success(output, frame.context) };
}
