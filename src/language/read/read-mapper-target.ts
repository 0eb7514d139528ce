import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { describeType, dotPath, identifier } from '../../base/document/read-fields.js';
import type { Code } from '../../base/problems/registry.js';
import type { Target } from '../../engine/definition/definition.js';

/**
 * The target of a mapper's result, from `target{kind,path}` and `resultVar`. `resultVar` without a path denotes a variable, regardless of
 * the kind: the whole context is replaced only if both are missing.
 */
export function readTarget(
  block: Place,
  kinds: readonly ('context' | 'var' | 'attributes')[],
  resultVar: Place,
  code: Code = 'TRANSFORM_TARGET',
): Target | undefined {
  const target = block.at('target');
  if (target.value !== undefined && !target.object) {
    target.error(code, `target must be an object, not ${describeType(target.value)}.`);
    return undefined;
  }
  target.only(['kind', 'path']);
  const kind = target.at('kind').value ?? 'context';
  if (!kinds.includes(kind as 'context')) {
    const message = `target.kind must be one of ${kinds.join(', ')}, not ${describeType(kind)}.`;
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
    target.at('path').compat('C6', 'An empty path means the whole context.');
    return { kind: 'root' };
  }
  const path = dotPath(target.at('path'), 'PATH_SYNTAX', 'target.path');
  return path && { kind: 'path', path };
}
