import type { FailState } from '../../spec/definition.js';
import type { Frame } from '../frame.js';
import { failure } from '../outcome.js';
import type { Step } from '../walk.js';

/** Ends as a failure with the author's code and reason. */
export function fail(state: FailState, frame: Frame): Step {
  return { end: failure('Fail', { code: state.errorCode, reason: state.reason }, frame.context) };
}
