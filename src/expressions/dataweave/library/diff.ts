import { maxDepth } from '../runtime/boundary.js';
import { type Definition, overload } from '../runtime/dispatch.js';
import { equalValues } from '../runtime/equality.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { DwObject, fieldOf, isObjectValue, keyList, T, typeName, type Value, valueList } from '../runtime/values.js';
import type { Obj } from './collections.js';
import { dwText } from './write.js';

/** Compares two values part by part; what differs comes last part first, as in the real library. */
class Comparison {
  readonly found: Value[] = [];
  constructor(
    private readonly ev: Evaluation,
    private readonly unordered: boolean,
  ) {}

  private report(path: string, expected: string, actual: string): void {
    this.found.unshift(new DwObject(['expected', 'actual', 'path'], [expected, actual, path]));
    this.ev.collection(this.found.length);
  }

  compare(actual: Value, expected: Value, path: string, depth = 0): void {
    this.ev.charge(4);
    if (depth > maxDepth) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The value nests deeper than ${maxDepth}`);
    if (isObjectValue(expected)) {
      if (isObjectValue(actual)) this.objects(actual, expected, path, depth + 1);
      else this.report(path, 'Object type', `${typeName(actual)} type`);
    } else if (Array.isArray(expected)) {
      if (Array.isArray(actual)) this.arrays(actual, expected, path, depth + 1);
      else this.report(path, 'Array type', `${typeName(actual)} type`);
    } else if (!equalValues(this.ev, actual, expected)) {
      this.report(path, dwText(this.ev, expected), dwText(this.ev, actual));
    }
  }

  private arrays(actual: Value[], expected: Value[], path: string, depth: number): void {
    if (actual.length !== expected.length)
      this.report(path, `Array size is ${expected.length}`, `was ${actual.length}`);
    else for (const [i, item] of expected.entries()) this.compare(actual[i]!, item, `${path}[${i}]`, depth);
  }

  private objects(actual: Obj, expected: Obj, path: string, depth: number): void {
    const [keys, others] = [keyList(expected), keyList(actual)];
    const [values, otherValues] = [valueList(expected), valueList(actual)];
    if (keys.length !== others.length) {
      this.report(path, `Object size is ${keys.length}`, String(others.length));
      return;
    }
    const seen = new Map<string, number>();
    for (const [i, key] of keys.entries()) {
      const inner = `${path}.${key}`;
      this.ev.charge(1 + (this.unordered ? others.length : 0));
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const at = this.unordered ? nthIndex(others, key, nth) : others[i] === key ? i : -1;
      if (at !== -1) this.compare(otherValues[at]!, values[i]!, inner, depth);
      else this.report(inner, `Entry ${inner} with type ${typeName(values[i]!)}`, 'was not present in object.');
    }
  }
}

function nthIndex(keys: readonly string[], key: string, nth: number): number {
  let at = keys.indexOf(key);
  for (let i = 0; i < nth && at !== -1; i++) at = keys.indexOf(key, at + 1);
  return at;
}

function diff(ev: Evaluation, actual: Value, expected: Value, options: Value = null, path = '(root)'): Value {
  const unordered = isObjectValue(options) && fieldOf(options, 'unordered') === true;
  const comparison = new Comparison(ev, unordered);
  comparison.compare(actual, expected, path);
  return new DwObject(['matches', 'diffs'], [comparison.found.length === 0, comparison.found]);
}

/** dw::util::Diff. */
export const diffFunctions: readonly Definition[] = [['diff', overload([T.Any, T.Any, T.Object, T.String], diff, 2)]];
