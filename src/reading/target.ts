import type { Target } from '../definition/definition.js';
import { describe, dotPath, identifier } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Code } from '../problems/registry.js';

/**
 * Where a mapper's result goes, from `target{kind,path}` and `resultVar` beside it. `resultVar` without a path means a variable,
 * whatever the kind says: only where both are missing is the whole context replaced.
 */
export function readTarget(
  block: Place,
  kinds: readonly ('context' | 'var' | 'attributes')[],
  resultVar: Place,
  code: Code = 'TRANSFORM_TARGET',
): Target | undefined {
  const target = block.at('target');
  if (target.value !== undefined && !target.object) {
    target.error(code, `target must be an object, not ${describe(target.value)}.`);
    return undefined;
  }
  target.only(['kind', 'path']);
  const kind = target.at('kind').value ?? 'context';
  if (!kinds.includes(kind as 'context')) {
    const message = `target.kind must be one of ${kinds.join(', ')}, not ${describe(kind)}.`;
    target.at('kind').error(code, message, didYouMean(kind, kinds));
    return undefined;
  }
  if (kind === 'attributes') return { kind };
  if (kind === 'var' || (resultVar.value !== undefined && !target.has('path'))) {
    if (resultVar.value === undefined) {
      block.error('TRANSFORM_VAR_NO_RESULTVAR', 'target.kind is var, but resultVar is missing.');
      return undefined;
    }
    const name = identifier(resultVar, 'resultVar');
    return name === undefined ? undefined : { kind: 'var', name };
  }
  if (!target.has('path')) return { kind: 'root' };
  if (target.at('path').value === '') {
    target.at('path').compat('C6', 'An empty path stands for the whole context.');
    return { kind: 'root' };
  }
  const path = dotPath(target.at('path'), 'PATH_SYNTAX', 'target.path');
  return path && { kind: 'path', path };
}
