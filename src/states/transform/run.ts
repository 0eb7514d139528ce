import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import { writeTarget } from '../../engine/target.js';
import type { Step } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import type { TransformState } from './read.js';

/** Computes a value and puts it where its target says. */
export function execute(state: TransformState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  const value = run.evaluate(state.mapper, 'mapper', frame);
  return value instanceof Promise ? value.then((it) => write(state, frame, run, it)) : write(state, frame, run, value);
}

function write(state: TransformState, frame: Frame, run: Run, value: Json): Step {
  writeTarget(state.target, value, frame, run);
  return { next: state.next };
}
