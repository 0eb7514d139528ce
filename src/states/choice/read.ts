import type { Expression } from '../../definition/definition.js';
import { describe, given } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { predicate, siteIn } from '../../reading/expressions.js';
import type { GraphReading } from '../../reading/reading.js';
import { stateRef } from '../../reading/references.js';
import { fieldsOf } from '../state.js';
import { schema } from './schema.js';

/** Branches with predicates, in the order they are tried. */
export interface ChoiceState {
  type: 'choice';
  choices: { when: Expression; next: string }[];
  default?: string;
}

/** Reads a `choice`. */
export function read(state: Place, within: GraphReading): ChoiceState {
  state.only(fieldsOf(schema));
  const all = state.at('choices');
  if (!Array.isArray(all.value) || all.value.length === 0)
    (all.value === undefined ? state : all).error(
      'CHOICE_EMPTY',
      `choices must be a list with at least one branch${all.object ? ', not an object' : ''}.`,
      all.object && 'Begin each branch with a dash: - when: …',
      'key',
    );
  const choices: ChoiceState['choices'] = [];
  for (const branch of all.items()) {
    if (misplacedDefault(branch)) continue;
    const when = readWhen(branch, within);
    branch.only(['when', 'next', 'predicate']);
    const next = branch.has('next') ? stateRef(branch.at('next'), within) : missing(branch, within);
    if (when) choices.push({ when, next });
  }
  const fallback = state.has('default') ? stateRef(state.at('default'), within) : undefined;
  const elsewhere = state.misspells('default', fieldsOf(schema)) || all.items().some((it) => it.has('default'));
  if (fallback === undefined && !elsewhere)
    state.warn('CHOICE_NO_DEFAULT', 'When no branch matches, the run fails.', undefined, 'key');
  return { type: 'choice', choices, ...given('default', fallback) };
}

/** A `default` among the branches: where it belongs says all there is to say. */
function misplacedDefault(branch: Place): boolean {
  if (!branch.has('default') || branch.has('when')) return false;
  const hint = 'It belongs one level up, beside choices, without a dash.';
  branch.at('default').error('UNKNOWN_FIELD', '"default" is not a field here.', hint, 'key');
  return true;
}

function readWhen(branch: Place, within: GraphReading) {
  const when = branch.at('when');
  if (when.at('predicate').value !== undefined) {
    when.only(['predicate']);
    return predicate(when.at('predicate'), siteIn(within, 'predicate'));
  }
  const at = when.object ? when : branch;
  const shown = when.object || when.value === undefined ? 'no predicate' : describe(when.value);
  at.error('PREDICATE_REQUIRED', `The branch has ${shown} under when.`, undefined, 'key');
  return undefined;
}

function missing(branch: Place, within: GraphReading): string {
  within.broken = true;
  branch.error('NEXT_MISSING', 'The branch does not say what comes next.');
  return '';
}
