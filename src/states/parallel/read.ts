import type { Expression, Graph } from '../../definition/definition.js';
import { describe, given, oneOf, optionalIdentifier, optionalOneOf, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { graphReading, readGraph } from '../../reading/graph.js';
import type { GraphReading } from '../../reading/reading.js';
import { stateRef } from '../../reading/references.js';
import { blockOf } from '../state.js';
import { schema } from './schema.js';

/** Branches that run side by side, and how they are brought together. */
export interface ParallelState {
  type: 'parallel';
  branches: Branch[];
  join: {
    strategy: 'allOf' | 'anyOf' | 'firstCompleted';
    errorPolicy: 'collectAll' | 'failFast' | 'ignoreErrors';
    mapper?: Expression;
    resultVar?: string;
  };
  /** Absent: the run (or the branch or subjourney it stands in) ends here. */
  next?: string;
}

export interface Branch extends Graph {
  name: string;
}

/** Reads a `parallel`. */
export function read(state: Place, within: GraphReading, id: string): ParallelState | undefined {
  const block = blockOf(state, { type: 'parallel', schema });
  const next = state.has('next') ? stateRef(state.at('next'), within) : undefined;
  if (!block) return undefined;
  if (next === undefined) state.compat('C10', 'The parallel has no next.');
  const branches = readBranches(block, within, id);
  const join = readJoin(block, within);
  // Without a usable join there is an error already; what else speaks of the branches needs to know them.
  const { strategy = 'allOf', errorPolicy = 'collectAll', ...rest } = join ?? {};
  return { type: 'parallel', branches, join: { strategy, errorPolicy, ...rest }, ...given('next', next) };
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
    if (!place.object) place.error('PAR_BRANCHES', `A branch is an object, not ${describe(place.value)}.`);
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
      `join must be an object with a strategy, not ${describe(join.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  join.only(['strategy', 'errorPolicy', 'mapper', 'mapperRef', 'resultVar']);
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
    ...given('strategy', strategy),
    ...given('errorPolicy', errorPolicy),
    ...given('mapper', mapper),
    ...given('resultVar', resultVar),
  };
}
