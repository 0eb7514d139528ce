import type { Frame } from '../../engine/frame.js';
import { failure } from '../../engine/outcome.js';
import type { Step } from '../../engine/vocabulary.js';
import type { FailState } from './read.js';

/** Ends as a failure with the author's code and reason. */
export function execute(state: FailState, frame: Frame): Step {
  return { end: failure('Fail', { code: state.errorCode, reason: state.reason }, frame.context) };
}
