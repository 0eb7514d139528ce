import type { Branch, ParallelState } from '../../definition/definition.js';
import { describe, given, oneOf, optionalIdentifier, optionalOneOf, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { readGraph, scopeOf } from '../../reading/graph.js';
import type { Scope } from '../../reading/reading.js';
import { stateRef } from '../../reading/references.js';
import { blockOf, type StateReader } from '../state.js';

export const readParallel: StateReader = (state, scope, id) => {
  const block = blockOf(state, 'parallel', ['branches', 'join'], ['next']);
  const next = state.has('next') ? stateRef(state.at('next'), scope) : undefined;
  if (!block) return undefined;
  if (next === undefined) state.compat('C10', 'The parallel has no next.');
  const branches = readBranches(block, scope, id);
  const join = readJoin(block, scope);
  return join && { type: 'parallel', branches, join, ...given('next', next) };
};

function readBranches(block: Place, scope: Scope, id: string): Branch[] {
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
    const inner = scopeOf(scope.reading, 'branch', `the branch "${name}" of "${id}"`, place, scope.bindings, scope);
    const graph = place.object
      ? readGraph(place, inner, { empty: 'STATES_EMPTY', start: 'PAR_BRANCH_START' })
      : { start: '', states: {} };
    if (inner.broken) scope.broken = true;
    return { name, ...graph };
  });
}

function readJoin(block: Place, scope: Scope): ParallelState['join'] | undefined {
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
  const mapper = hasMapper(join) ? mapperIn(join, siteIn(scope, 'join', ['branches', 'branchOutcomes'])) : undefined;
  const resultVar = optionalIdentifier(join.at('resultVar'), 'join.resultVar');
  if (!hasMapper(join)) join.compat('C11', 'The join has no mapper.');
  if (hasMapper(join) && !join.has('resultVar'))
    join.warn('JOIN_NO_RESULTVAR', 'The mapper has nowhere to put its result.', undefined, 'key');
  if (!hasMapper(join) && join.has('resultVar'))
    join.at('resultVar').warn('JOIN_NO_MAPPER', 'resultVar stays unset.', undefined, 'key');
  return (
    strategy && {
      strategy,
      errorPolicy: errorPolicy ?? 'collectAll',
      ...given('mapper', mapper),
      ...given('resultVar', resultVar),
    }
  );
}
