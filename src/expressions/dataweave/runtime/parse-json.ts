import { emptyObject, type Json } from '../../../base/json/value.js';
import { defaultLimits } from '../../expression-engine-interface.js';
import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { parseNumber } from './numbers.js';
import { DwObject, type Value } from './values.js';

const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** Parses JSON, keeping repeated keys and all digits, which `JSON.parse` would lose. */
export function readJson(ev: Evaluation, text: string): Value {
  return new Reader(text, ev.limits.digits, () => ev.charge(1), multimap).document();
}

/**
 * Parses JSON for use as a binding, keeping repeated keys, key order and all digits. Values that plain JSON can hold without loss stay
 * plain; the others are values internal to this engine.
 */
export function readExactJson(text: string): Json {
  JSON.parse(text);
  return new Reader(text, defaultLimits.digits, () => {}, plainWherePossible).document() as Json;
}

type MakeObject = (keys: string[], values: Value[]) => Value;

const multimap: MakeObject = (keys, values) => new DwObject(keys, values);

const plainWherePossible: MakeObject = (keys, values) => {
  if (new Set(keys).size < keys.length || keys.some((key) => /^\d+$/.test(key))) return new DwObject(keys, values);
  const object = emptyObject();
  for (const [i, key] of keys.entries()) object[key] = values[i] as Json;
  return object;
};

class Reader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly digits: number,
    private readonly pay: () => void,
    private readonly object: MakeObject,
  ) {}

  document(): Value {
    const result = this.value(this.next(), 0);
    if (this.text.slice(this.at).trim() !== '') throw invalid();
    return result;
  }

  private next(): RegExpExecArray {
    token.lastIndex = this.at;
    const found = token.exec(this.text);
    if (!found) throw invalid();
    this.at = token.lastIndex;
    this.pay();
    return found;
  }

  private value(found: RegExpExecArray, depth: number): Value {
    if (depth > 500) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The JSON nests too deeply');
    const [, mark, quoted, digits, word] = found;
    if (quoted !== undefined) return unquoted(quoted);
    if (digits !== undefined) return parseNumber(digits, this.digits);
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    if (mark === '[') {
      const items: Value[] = [];
      this.list(']', (first) => items.push(this.value(first, depth + 1)));
      return items;
    }
    if (mark !== '{') throw invalid();
    const keys: string[] = [];
    const values: Value[] = [];
    this.list('}', (first) => {
      if (first[2] === undefined || this.next()[1] !== ':') throw invalid();
      keys.push(unquoted(first[2]));
      values.push(this.value(this.next(), depth + 1));
    });
    return this.object(keys, values);
  }

  private list(close: string, item: (first: RegExpExecArray) => void): void {
    let found = this.next();
    if (found[1] === close) return;
    for (;;) {
      item(found);
      const separator = this.next()[1];
      if (separator === close) return;
      if (separator !== ',') throw invalid();
      found = this.next();
    }
  }
}

function unquoted(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw invalid();
  }
}

function invalid(): Fault {
  return new Fault('DW_FUNCTION_ERROR', 'The text is not valid JSON', false, 'ReadExecutionException');
}
