import { Fault } from './fault.js';
import { parseNumber } from './numbers.js';
import type { Run } from './run.js';
import { DwObject, type Value } from './values.js';

const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** Reads JSON text keeping repeated keys and all digits, which `JSON.parse` would lose. */
export function readJson(run: Run, text: string): Value {
  let at = 0;
  const fail = () => new Fault('DW_FUNCTION_ERROR', 'The text is not valid JSON');
  const next = (): RegExpExecArray => {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw fail();
    at = token.lastIndex;
    run.charge(1);
    return found;
  };
  const unquoted = (quoted: string): string => {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw fail();
    }
  };
  const list = (close: string, item: (first: RegExpExecArray) => void) => {
    let found = next();
    if (found[1] === close) return;
    for (;;) {
      item(found);
      const separator = next()[1];
      if (separator === close) return;
      if (separator !== ',') throw fail();
      found = next();
    }
  };
  const value = (found: RegExpExecArray, depth: number): Value => {
    if (depth > 500) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The JSON nests too deeply');
    const [, mark, quoted, digits, word] = found;
    if (quoted !== undefined) return unquoted(quoted);
    if (digits !== undefined) return parseNumber(digits, run.limits.digits);
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    if (mark === '[') {
      const items: Value[] = [];
      list(']', (first) => items.push(value(first, depth + 1)));
      return items;
    }
    if (mark !== '{') throw fail();
    const object = new DwObject();
    list('}', (first) => {
      if (first[2] === undefined || next()[1] !== ':') throw fail();
      object.add(unquoted(first[2]), value(next(), depth + 1));
    });
    return object;
  };
  const result = value(next(), 0);
  if (text.slice(at).trim() !== '') throw fail();
  return result;
}
