import type { Place } from '../../base/document/placed-value.js';
import { describeType, ifDefined } from '../../base/document/read-fields.js';
import { listOf, part, shape } from '../../base/document/schema-builders.js';
import type { Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { conditionKeys, hasCondition, predicateIn, siteIn } from '../read/read-expressions-and-mappers.js';
import { stateRef } from '../read/read-state-references.js';
import { isTrue } from './check-predicate-result.js';
import { noData } from './context-reads-and-writes.js';
import {
  awaitsNothing,
  fieldsOf,
  migratesFreely,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
} from './state-type.js';

/** Branches with predicates, in the order they are tried. */
export interface ChoiceState {
  type: 'choice';
  choices: { when: Expression; next: string }[];
  default?: string;
}

/** JSON Schema of `choice`. */
const schema = stateSchema(
  'choice',
  'Continues with the first branch whose predicate is true.',
  {
    choices: listOf(
      'The branches, tried in this order.',
      shape('A branch.', { when: part('condition'), next }, ['when', 'next']),
      { minItems: 1 },
    ),
    default: { ...next, description: 'Where to go when no predicate is true.' },
  },
  ['choices'],
  [
    {
      choices: [
        { when: 'context.answer.ok', next: 'done' },
        { when: { predicate: { lang: 'dataweave', expr: 'context.total > 500' } }, next: 'approve' },
      ],
      default: 'refused',
    },
  ],
);

/** Continues with one of several branches. */
export const choice: StateType<ChoiceState> = {
  type: 'choice',
  isExtension: false,
  impliedBy: ['choices'],
  schema,
  read,
  execute,
  instant: true,
  exits: ({ choices, default: otherwise }) => [
    ...choices.map(({ when, next }, i) => ({ to: next, when, at: ['choices', i] })),
    ...(otherwise === undefined ? [] : [{ to: otherwise }]),
  ],
  awaits: awaitsNothing,
  caption: () => 'choice',
  inner: noGraphs,
  data: noData,
  scale: timeless,
  compare: noDifferences,
  migrate: migratesFreely,
};

/** Reads a `choice`. */
function read(state: Place, within: GraphReading): ChoiceState {
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
  const misplaced = state.misspells('default', fieldsOf(schema)) || all.items().some((it) => it.has('default'));
  if (fallback === undefined && !misplaced)
    state.warn('CHOICE_NO_DEFAULT', 'When no branch matches, the run fails.', undefined, 'key');
  return { type: 'choice', choices, ...ifDefined('default', fallback) };
}

/** Whether a branch is a misplaced `default`. Reports it with a hint to its correct place, so no other finding is needed. */
function misplacedDefault(branch: Place): boolean {
  if (!branch.has('default') || branch.has('when')) return false;
  const hint = 'It belongs one level up, beside choices, without a dash.';
  branch.at('default').error('UNKNOWN_FIELD', '"default" is not a field here.', hint, 'key');
  return true;
}

function readWhen(branch: Place, within: GraphReading) {
  const when = branch.at('when');
  if (hasCondition(when)) {
    when.only(conditionKeys);
    return predicateIn(when, siteIn(within, 'predicate'));
  }
  const at = when.object ? when : branch;
  const shown = when.object || when.value === undefined ? 'no predicate' : describeType(when.value);
  at.error('PREDICATE_REQUIRED', `The branch has ${shown} under when.`, undefined, 'key');
  return undefined;
}

function missing(branch: Place, within: GraphReading): string {
  within.broken = true;
  branch.error('NEXT_MISSING', 'The branch has no next.');
  return '';
}

/** Continues at the `next` of the first branch whose predicate is true, otherwise at the default. */
function execute(state: ChoiceState, frame: Frame, _: Scope, run: Run): Step | Promise<Step> {
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

function otherwise(state: ChoiceState): Step {
  if (state.default !== undefined) return { next: state.default };
  return refuse('CHOICE_NO_MATCH', 'No choice matched and there is no default.');
}
