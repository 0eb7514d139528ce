import type { Expression } from '../../definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { failure } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/vocabulary.js';
import { refuse } from '../../problems/problem.js';
import type { FailState } from './read.js';

/** The longest computed code: it is a name, which Temporal shows as the failure's type. */
const longestCode = 200;

/** Ends as a failure with the author's code and reason. */
export function execute(state: FailState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  const { errorCode: code, reason } = state;
  if (typeof code === 'string' && typeof reason === 'string')
    return { end: failure('Fail', { code, reason }, frame.context) };
  return computed(state, frame, run);
}

async function computed(state: FailState, frame: Frame, run: Run): Promise<Step> {
  const code = await textOf('errorCode', state.errorCode, frame, run);
  const reason = await textOf('reason', state.reason, frame, run);
  if (code.length > longestCode)
    refuse('FAIL_NOT_TEXT', `errorCode gave a text of ${code.length} characters; a code has at most ${longestCode}.`);
  return { end: failure('Fail', { code, reason }, frame.context) };
}

async function textOf(name: string, source: string | { mapper: Expression }, frame: Frame, run: Run): Promise<string> {
  if (typeof source === 'string') return source;
  const value = await run.evaluate(source.mapper, 'mapper', frame);
  if (typeof value === 'string' && value.trim() !== '') return value;
  return refuse('FAIL_NOT_TEXT', `${name} gave ${JSON.stringify(value).slice(0, 60)}.`, {
    hint: 'Write a `default` with a text after the expression.',
  });
}
