import type { Expression, Target } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import { mapperIn, siteOf } from '../../reading/expressions.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { readTarget } from '../../reading/target.js';
import { blockOf } from '../state.js';
import { schema } from './schema.js';

/** A mapper and where its result goes. */
export interface TransformState {
  type: 'transform';
  mapper: Expression;
  target: Target;
  next: string;
}

/** Reads a `transform`. */
export function read(state: Place, within: GraphReading): TransformState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, { type: 'transform', schema });
  if (!block) return undefined;
  let resultVar = block.at('resultVar');
  if (state.has('resultVar')) {
    state.at('resultVar').compat('C2', 'resultVar stands beside transform instead of in it.');
    if (resultVar.value === undefined) resultVar = state.at('resultVar');
  }
  const target = readTarget(block, ['context', 'var', 'attributes'], resultVar);
  const mapper = mapperIn(block, siteOf(within, target));
  if (target?.kind === 'attributes')
    forbidInApi(block.at('target').at('kind'), within, 'TRANSFORM_ATTR_API', 'write attributes');
  return mapper && target && { type: 'transform', mapper, target, next };
}
