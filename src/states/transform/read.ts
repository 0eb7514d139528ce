import { mapperIn, siteIn } from '../../reading/expressions.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import { nextOf } from '../../reading/references.js';
import { readTarget } from '../../reading/target.js';
import { blockOf, type StateReader } from '../state.js';

const blockKeys = ['mapper', 'mapperRef', 'target', 'resultVar'];

export const readTransform: StateReader = (state, scope) => {
  const next = nextOf(state, scope);
  const block = blockOf(state, 'transform', blockKeys, ['next', 'resultVar']);
  if (!block) return undefined;
  let resultVar = block.at('resultVar');
  if (state.has('resultVar')) {
    state.at('resultVar').compat('C2', 'resultVar stands beside transform instead of in it.');
    if (resultVar.value === undefined) resultVar = state.at('resultVar');
  }
  const mapper = mapperIn(block, siteIn(scope, 'mapper'));
  const target = readTarget(block, ['context', 'var', 'attributes'], resultVar);
  if (target?.kind === 'attributes')
    forbidInApi(block.at('target').at('kind'), scope, 'TRANSFORM_ATTR_API', 'write attributes');
  return mapper && target && { type: 'transform', mapper, target, next };
};
