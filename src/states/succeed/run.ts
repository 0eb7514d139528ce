import { withoutField } from '../../engine/context.js';
import type { Frame } from '../../engine/frame.js';
import { success } from '../../engine/outcome.js';
import type { Step } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import type { SucceedState } from './read.js';

/** Ends with `context.<outputVar>`, or with the whole context less the last submission. */
export function execute(state: SucceedState, frame: Frame): Step {
  const { outputVar } = state;
  const named = outputVar !== undefined && Object.hasOwn(frame.context, outputVar);
  const output = named ? (frame.context[outputVar] as Json) : withoutField(frame.context, 'payload');
  return { end: success(output, frame.context) };
}
