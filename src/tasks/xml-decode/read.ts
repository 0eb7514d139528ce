import type { Target } from '../../definition/definition.js';
import { describe } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { readTarget } from '../../reading/target.js';

/** A decode, normalised. */
export type XmlDecodeTask = { kind: 'xmlDecode:v1'; sourceVar: string; target: Target };

/** Reads the task block. */
export function read(block: Place): XmlDecodeTask | undefined {
  const source = block.at('sourceVar');
  const named = typeof source.value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(source.value);
  if (!named)
    (source.value === undefined ? block : source).error(
      'XML_SOURCE',
      `sourceVar must be a variable name, not ${describe(source.value)}.`,
    );
  if (block.at('target').at('kind').value === 'var' && !block.has('resultVar')) {
    block.error('XML_RESULTVAR', 'target.kind is var, but resultVar is missing.', undefined, 'key');
    return undefined;
  }
  const target = readTarget(block, ['context', 'var'], block.at('resultVar'), 'XML_TARGET');
  return named && target ? { kind: 'xmlDecode:v1', sourceVar: source.value as string, target } : undefined;
}
