import type { ChoiceState } from '../../definition/definition.js';
import { describe, given } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { expression, siteIn } from '../../reading/expressions.js';
import type { Scope } from '../../reading/reading.js';
import { stateRef } from '../../reading/references.js';
import type { StateReader } from '../state.js';

export const readChoice: StateReader = (state, scope) => {
  state.only(['type', 'choices', 'default']);
  const all = state.at('choices');
  if (!Array.isArray(all.value) || all.value.length === 0)
    (all.value === undefined ? state : all).error(
      'CHOICE_EMPTY',
      'choices must be a list with at least one branch.',
      undefined,
      'key',
    );
  const choices: ChoiceState['choices'] = [];
  for (const branch of all.items()) {
    const when = readWhen(branch, scope);
    branch.only(['when', 'next', 'predicate']);
    const next = branch.has('next') ? stateRef(branch.at('next'), scope) : missing(branch, scope);
    if (when) choices.push({ when, next });
  }
  const fallback = state.has('default') ? stateRef(state.at('default'), scope) : undefined;
  if (fallback === undefined)
    state.warn('CHOICE_NO_DEFAULT', 'When no branch matches, the run fails.', undefined, 'key');
  return { type: 'choice', choices, ...given('default', fallback) };
};

function readWhen(branch: Place, scope: Scope) {
  const when = branch.at('when');
  const predicate = when.at('predicate');
  if (predicate.value !== undefined) {
    when.only(['predicate']);
    return expression(predicate, siteIn(scope, 'predicate'), 'PREDICATE_REQUIRED');
  }
  const at = when.object ? when : branch;
  const shown = when.object || when.value === undefined ? 'no predicate' : describe(when.value);
  at.error('PREDICATE_REQUIRED', `The branch has ${shown} under when.`, undefined, 'key');
  return undefined;
}

function missing(branch: Place, scope: Scope): string {
  scope.broken = true;
  branch.error('NEXT_MISSING', 'The branch does not say what comes next.');
  return '';
}
