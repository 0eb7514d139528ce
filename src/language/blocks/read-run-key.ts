import type { Place } from '../../base/document/placed-value.js';
import { isBlock, optionalBoolean, optionalOneOf } from '../../base/document/read-fields.js';
import type { Expression, RunKey } from '../../engine/definition/definition.js';
import { keyFault, reservedKeyPrefixes } from '../../engine/definition/keyed-run-id.js';
import type { Reading } from '../read/document-reading-state.js';
import { mapperIn } from '../read/read-expressions-and-mappers.js';

const code = 'KEY_SHAPE';
const fields = ['mapper', 'mapperRef', 'lang', 'expr', 'onExisting', 'once'];

/** Reads `spec.key`: the business key of a run. */
export function readRunKey(spec: Place, journey: string, reading: Reading): RunKey | undefined {
  const place = spec.at('key');
  if (!isBlock(place, code, 'key')) return undefined;
  if (!place.report.compat) place.error('KEY_EXTENSION', 'The language has no keys of runs.', undefined, 'key');
  if (reading.kind === 'Api') place.error(code, 'An Api has no runs, so it has no key.', 'Remove it.', 'key');
  if (reservedKeyPrefixes.includes(journey))
    place.error(code, `Ids of our own begin with ${journey}/.`, 'Give the journey another name.', 'key');
  place.only(fields);
  const site = { kind: 'key' as const, reading, common: ['context'] };
  const mapper = mapperIn(place, site);
  const onExisting = optionalOneOf(place.at('onExisting'), ['attach', 'reject'], code, 'onExisting') ?? 'attach';
  const once = optionalBoolean(place.at('once'), code, 'once') ?? false;
  if (!mapper) return undefined;
  checkLiteralKey(place, mapper);
  return { mapper, onExisting, once };
}

/** Reports a literal that no run could have as its key. Both languages write texts as JSON does. */
function checkLiteralKey(place: Place, { expr }: Expression): void {
  const value = literalOf(expr.trim());
  const fault = value === undefined ? undefined : keyFault(value);
  if (fault === undefined) return;
  const inner = place.has('mapper') ? place.at('mapper') : place;
  (inner.has('expr') ? inner.at('expr') : place).error('KEY_INVALID', `The key is not valid: ${fault}.`);
}

function literalOf(expr: string) {
  if (!/^(".*"|'.*'|true|false|null|\{\}|\[\])$/s.test(expr)) return undefined;
  const json = expr.startsWith("'") ? `"${expr.slice(1, -1).replaceAll('"', '\\"')}"` : expr;
  try {
    return JSON.parse(json) as string | boolean | null;
  } catch {
    return undefined;
  }
}
