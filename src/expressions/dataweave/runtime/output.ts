import type { JsonOutput } from '../output-options.js';
import { maxDepth } from './boundary.js';
import type { Evaluation } from './evaluation.js';
import { Fault } from './fault.js';
import { bare, DwObject, isObjectValue, keyList, type Value, valueList } from './values.js';

/** What is written for `value` under these options. */
export function shaped(ev: Evaluation, given: Value, output: JsonOutput, depth = 0): Value {
  if (!output.skipFields && !output.skipItems && !output.gather) return given;
  const value = bare(given);
  ev.charge(1);
  if (depth > maxDepth) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxDepth}`);
  if (Array.isArray(value)) {
    const kept = output.skipItems ? value.filter((it) => bare(it) !== null) : value;
    return kept.map((it) => shaped(ev, it, output, depth + 1));
  }
  if (!isObjectValue(value)) return value;
  const out = new DwObject();
  const values = valueList(value);
  const gathered = new Map<string, Value[]>();
  for (const [i, key] of keyList(value).entries()) {
    if (output.skipFields && bare(values[i]!) === null) continue;
    const item = shaped(ev, values[i]!, output, depth + 1);
    const others = gathered.get(key);
    if (others) others.push(item);
    else out.add(key, item);
    if (output.gather && !others) gathered.set(key, [item]);
  }
  for (const [i, key] of out.keys.entries()) {
    const items = gathered.get(key);
    if (items && items.length > 1) out.values[i] = items;
  }
  return out;
}
