import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { ChoiceState } from './read.js';

/** Goes where the first true predicate says, else to the default. */
export function execute(state: ChoiceState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
  for (let i = 0; i < state.choices.length; i++) {
    const { when, next } = state.choices[i]!;
    const answer = run.evaluate(when, 'predicate', frame);
    if (answer instanceof Promise) return decideLater(answer, state, i, frame, run);
    if (isTrue(answer)) return { next };
  }
  return otherwise(state);
}

async function decideLater(
  first: Promise<Json>,
  state: ChoiceState,
  at: number,
  frame: Frame,
  run: Run,
): Promise<Step> {
  let answer: Json | Promise<Json> = first;
  for (let i = at; i < state.choices.length; i++) {
    if (i > at) answer = run.evaluate(state.choices[i]!.when, 'predicate', frame);
    if (isTrue(await answer)) return { next: state.choices[i]!.next };
  }
  return otherwise(state);
}

function isTrue(answer: Json): boolean {
  if (typeof answer !== 'boolean') {
    refuse('PREDICATE_NOT_BOOLEAN', 'A predicate gave something other than true or false.', {
      hint: 'Compare explicitly, for example `context.flag == true`.',
    });
  }
  return answer;
}

function otherwise(state: ChoiceState): Step {
  if (state.default !== undefined) return { next: state.default };
  return refuse('CHOICE_NO_MATCH', 'No choice matched and there is no default.');
}
