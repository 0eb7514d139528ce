import { Temporal } from '../runtime/dates/values.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { numberText } from '../runtime/numbers.js';
import { textOrNull } from '../runtime/text.js';
import {
  Annotated,
  isDec,
  isObjectValue,
  keyList,
  RegexValue,
  type Value,
  valueList,
  WideRange,
} from '../runtime/values.js';

/** A value in DataWeave's own notation, as `write` gives it without a format. */
export function dwText(ev: Evaluation, value: Value): string {
  let written = 0;
  const walk = (it: Value, indent: string, depth: number): string => {
    const text = print(it, indent, depth);
    if (typeof it !== 'object') written += text.length;
    written += indent.length + 2;
    ev.bounded(written);
    return text;
  };
  const print = (it: Value, indent: string, depth: number): string => {
    if (depth > 500) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The value nests too deeply');
    ev.charge(1);
    if (it instanceof Annotated) return print(it.inner, indent, depth);
    if (it === null || typeof it === 'boolean') return String(it);
    if (typeof it === 'number' || isDec(it)) return numberText(it);
    if (typeof it === 'string') return JSON.stringify(it).replaceAll('$', '\\$');
    const inner = `${indent}  `;
    if (Array.isArray(it)) {
      if (it.length === 0) return '[]';
      return `[\n${it.map((item) => inner + walk(item, inner, depth + 1)).join(', \n')}\n${indent}]`;
    }
    if (it instanceof Temporal) return `|${it.iso()}|`;
    if (it instanceof WideRange) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The range has too many elements');
    if (it instanceof RegexValue) return `/${it.source}/`;
    if (!isObjectValue(it)) return JSON.stringify(textOrNull(it) ?? '');
    const values = valueList(it);
    if (values.length === 0) return '{}';
    const fields = keyList(it).map(
      (key, i) => `${inner}${keyText(key)}${attributeText(values[i]!)}: ${walk(values[i]!, inner, depth + 1)}`,
    );
    return `{\n${fields.join(',\n')}\n${indent}}`;
  };
  const attributeText = (it: Value): string => {
    const attributes = it instanceof Annotated ? it.attributes : null;
    if (!attributes || attributes.size === 0) return '';
    return ` @(${attributes.keys.map((key, i) => `${keyText(key)}: ${walk(attributes.values[i]!, '', 0)}`).join(', ')})`;
  };
  const out = walk(value, '', 0);
  ev.text(out.length);
  return out;
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}
