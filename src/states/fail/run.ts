import type { FailState } from '../../definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import { failure } from '../../engine/outcome.js';
import type { Step } from '../../engine/walk.js';

/** Ends as a failure with the author's code and reason. */
export function fail(state: FailState, frame: Frame): Step {
  return { end: failure('Fail', { code: state.errorCode, reason: state.reason }, frame.context) };
}
