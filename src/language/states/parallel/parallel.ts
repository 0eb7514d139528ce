import type { Place } from '../../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  oneOf,
  optionalIdentifier,
  optionalOneOf,
  text,
} from '../../../base/document/read-fields.js';
import { listOf, mapperFields, part, shape, textOf, wordOf } from '../../../base/document/schema-builders.js';
import type { JsonObject } from '../../../base/json/value.js';
import { timeless } from '../../../base/time/time-scale.js';
import type { Expression, Graph } from '../../../engine/definition/definition.js';
import { type Frame, progressOf } from '../../../engine/frame.js';
import { objectShape, type Shape, unionShape, withShape } from '../../../expressions/value-shape.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { hasMapper, mapperIn, mapperKeys, siteIn } from '../../read/read-expressions-and-mappers.js';
import { graphReading, readGraph } from '../../read/read-graph.js';
import { stateRef } from '../../read/read-state-references.js';
import { noData, type StateFlow, variable } from '../context-reads-and-writes.js';
import {
  awaitsNothing,
  blockOf,
  type ErrorPolicy,
  type MigrationConflict,
  next,
  noGraphs,
  policyDifference,
  type StateMigration,
  type StateType,
  stateSchema,
} from '../state-type.js';
import { executeParallel, isDecided, type ParallelProgress } from './execute-parallel.js';

/** Branches that run concurrently, and how they are joined. */
export interface ParallelState {
  type: 'parallel';
  branches: Branch[];
  join: {
    strategy: 'allOf' | 'anyOf' | 'firstCompleted';
    errorPolicy: 'collectAll' | 'failFast' | 'ignoreErrors';
    mapper?: Expression;
    resultVar?: string;
  };
  /** If absent, the graph of this state (journey, branch or subjourney) ends here. */
  next?: string;
}

const branch = shape(
  'A graph that runs concurrently with the others, on its own copy of the context.',
  {
    name: textOf('Its name in join.mapper.'),
    start: part('stateId', 'The state at which the branch starts.'),
    states: part('states', 'The graph of the branch; it ends with succeed or fail.'),
  },
  ['name', 'start', 'states'],
);

const join = shape(
  'When to continue and which results to keep.',
  {
    strategy: wordOf(
      'allOf waits for every branch; the others continue with the first.',
      'allOf',
      'anyOf',
      'firstCompleted',
    ),
    errorPolicy: {
      ...wordOf('What a failed branch does; collectAll by default.', 'collectAll', 'failFast', 'ignoreErrors'),
      default: 'collectAll',
    },
    mapper: part('expression', 'Computes the result from branches and branchOutcomes; without it, changes are merged.'),
    mapperRef: mapperFields.mapperRef,
    expr: mapperFields.expr,
    lang: mapperFields.lang,
    resultVar: part('identifier', 'The context variable that takes the result of the mapper.'),
  },
  ['strategy'],
);

/** JSON Schema of `parallel`. */
const schema = stateSchema(
  'parallel',
  'Runs branches concurrently and joins them.',
  {
    parallel: shape(
      'The branches and how they join.',
      { branches: listOf('The branches.', branch, { minItems: 1 }), join },
      ['branches', 'join'],
    ),
    next,
  },
  ['parallel'],
  [
    {
      parallel: {
        branches: [
          { name: 'price', start: 'ask', states: branchStates('https://prices.example.com/lamp') },
          { name: 'stock', start: 'ask', states: branchStates('https://stock.example.com/lamp') },
        ],
        join: {
          strategy: 'allOf',
          errorPolicy: 'collectAll',
          mapper: {
            lang: 'dataweave',
            expr: '{ price: branches.price.answer.body, stock: branches.stock.answer.body }',
          },
          resultVar: 'page',
        },
      },
      next: 'done',
    },
  ],
);

/** Runs branches concurrently. */
export const parallel: StateType<ParallelState> = {
  type: 'parallel',
  isExtension: false,
  impliedBy: ['parallel'],
  schema,
  read,
  execute: executeParallel,
  instant: false,
  // Without a next state the graph ends with the result of the join.
  exits: ({ next }) => (next === undefined ? [{ end: 'SUCCEEDED' }] : [{ to: next }]),
  awaits: awaitsNothing,
  caption: ({ branches, join }) => `${join.strategy === 'allOf' ? 'all' : 'the first'} of ${branches.length} branches`,
  inner: {
    ...noGraphs,
    map: (state, change) => ({
      ...state,
      branches: state.branches.map((branch, i) => change(branch, ['parallel', 'branches', i], branch.name)),
    }),
    runs: ({ join }) => (join.strategy === 'allOf' ? 'all' : 'first'),
  },
  data: { ...noData, writes: ({ join }) => variable(join.resultVar), after: contextAfter },
  scale: timeless,
  compare: (before, after, id) => policyDifference(id, policyOf(before), policyOf(after)),
  migrate,
};

function contextAfter({ branches, join }: ParallelState, context: Shape, flow: StateFlow): Shape {
  const ends = branches.map(
    (branch, i) => [branch.name, flow.walk(branch, ['parallel', 'branches', i], context, true)] as const,
  );
  if (!join.mapper) return ends.map(([, end]) => end).reduce(unionShape, context);
  const result = flow.result('parallel/join', context, { branches: objectShape(ends) });
  return join.resultVar === undefined ? context : withShape(context, [join.resultVar], result);
}

function migrate(
  before: ParallelState,
  after: ParallelState,
  frame: Frame,
  migration: StateMigration,
): MigrationConflict | undefined {
  const progress = progressOf<ParallelProgress>(frame, 'parallel');
  if (!progress) return undefined;
  const names = ({ branches }: ParallelState) => branches.map(({ name }) => name).join(', ');
  if (names(before) !== names(after)) return migration.misfit(`Its state '${frame.at}' has other branches.`);
  if (progress.branches.some(({ end }) => end) && isDecided(after, progress.branches))
    return migration.misfit(`In its state '${frame.at}' a branch has ended that would have decided the join.`);
  for (const [i, { end, frame: inner }] of progress.branches.entries()) {
    const at = ['parallel', 'branches', i];
    const found = end ? undefined : migration.inner(before.branches[i]!, after.branches[i]!, inner, at);
    if (found) return found;
  }
  return undefined;
}

function policyOf({ join: { errorPolicy } }: ParallelState): ErrorPolicy {
  return { name: errorPolicy, failures: errorPolicy === 'ignoreErrors' ? Number.POSITIVE_INFINITY : 0 };
}

function branchStates(url: string): JsonObject {
  return {
    ask: { type: 'task', task: { kind: 'httpCall:v1', method: 'GET', url, resultVar: 'answer' }, next: 'done' },
    done: { type: 'succeed' },
  };
}

interface Branch extends Graph {
  name: string;
}

/** Reads a `parallel`. */
function read(state: Place, within: GraphReading, id: string): ParallelState | undefined {
  const block = blockOf(state, { type: 'parallel', schema });
  const next = state.has('next') ? stateRef(state.at('next'), within) : undefined;
  if (!block) return undefined;
  if (next === undefined) state.compat('C10', 'The parallel has no next.');
  const branches = readBranches(block, within, id);
  const join = readJoin(block, within);
  // An unusable join is already reported. The branches are kept, because other rules check them.
  const { strategy = 'allOf', errorPolicy = 'collectAll', ...rest } = join ?? {};
  return { type: 'parallel', branches, join: { strategy, errorPolicy, ...rest }, ...ifDefined('next', next) };
}

function readBranches(block: Place, within: GraphReading, id: string): Branch[] {
  const all = block.at('branches');
  if (!Array.isArray(all.value) || all.value.length === 0)
    (all.value === undefined ? block : all).error(
      'PAR_BRANCHES',
      'branches must be a list with at least one branch.',
      undefined,
      'key',
    );
  const names = new Set<string>();
  return all.items().map((place) => {
    if (!place.object) place.error('PAR_BRANCHES', `A branch is an object, not ${describeType(place.value)}.`);
    place.only(['name', 'start', 'states']);
    const name = (place.object && text(place.at('name'), 'PAR_BRANCHES', 'name')) ?? '';
    if (name !== '' && names.has(name))
      place.at('name').error('PAR_BRANCH_NAME_DUP', `There are two branches "${name}".`);
    names.add(name);
    const inner = graphReading(
      within.reading,
      'branch',
      `the branch "${name}" of "${id}"`,
      place,
      within.bindings,
      within,
    );
    const graph = place.object
      ? readGraph(place, inner, { empty: 'STATES_EMPTY', start: 'PAR_BRANCH_START' })
      : { start: '', states: {} };
    if (inner.broken) within.broken = true;
    return { name, ...graph };
  });
}

function readJoin(block: Place, within: GraphReading): Partial<ParallelState['join']> | undefined {
  const join = block.at('join');
  if (!join.object) {
    (join.value === undefined ? block : join).error(
      'PAR_JOIN_MISSING',
      `join must be an object with a strategy, not ${describeType(join.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  join.only(['strategy', 'errorPolicy', ...mapperKeys, 'resultVar']);
  const strategy = oneOf(join.at('strategy'), ['allOf', 'anyOf', 'firstCompleted'], 'PAR_STRATEGY', 'join.strategy');
  const policies = ['collectAll', 'failFast', 'ignoreErrors'] as const;
  const errorPolicy = optionalOneOf(join.at('errorPolicy'), policies, 'PAR_ERROR_POLICY', 'join.errorPolicy');
  const mapper = hasMapper(join) ? mapperIn(join, siteIn(within, 'join', ['branches', 'branchOutcomes'])) : undefined;
  const resultVar = optionalIdentifier(join.at('resultVar'), 'join.resultVar');
  if (!hasMapper(join)) join.compat('C11', 'The join has no mapper: what the branches changed is merged.');
  if (hasMapper(join) && !join.has('resultVar'))
    join.warn('JOIN_NO_RESULTVAR', 'The mapper has nowhere to put its result.', undefined, 'key');
  if (!hasMapper(join) && join.has('resultVar'))
    join.at('resultVar').warn('JOIN_NO_MAPPER', 'resultVar stays unset.', undefined, 'key');
  return {
    ...ifDefined('strategy', strategy),
    ...ifDefined('errorPolicy', errorPolicy),
    ...ifDefined('mapper', mapper),
    ...ifDefined('resultVar', resultVar),
  };
}
