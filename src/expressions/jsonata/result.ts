import { emptyObject, type Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Limits } from '../expression.js';
import { isFunction } from './budget.js';

/** What JSONata returned, as plain JSON: nothing shared with the bindings, no prototypes, bounded in size. */
export function toJson(value: unknown, limits: Limits): Json {
  let bytes = 0;
  const spend = (amount: number) => {
    bytes += amount;
    if (bytes > limits.outputBytes) refuse('JSONATA_LIMIT_EXCEEDED', 'The result is larger than allowed');
  };
  const convert = (it: unknown, depth: number): Json => {
    if (depth > limits.depth) refuse('JSONATA_LIMIT_EXCEEDED', 'The result nests too deeply');
    switch (typeof it) {
      case 'string':
        spend(it.length + 2);
        return it;
      case 'number':
        if (!Number.isFinite(it))
          refuse('JSONATA_EVALUATION_ERROR', 'The result holds a number that JSON cannot carry');
        spend(8);
        return it;
      case 'boolean':
        spend(5);
        return it;
      case 'object':
        break;
      case 'undefined':
        spend(4);
        return null;
      default:
        return refuse('JSONATA_EVALUATION_ERROR', 'The result is or holds a function');
    }
    if (it === null) {
      spend(4);
      return null;
    }
    if (Array.isArray(it)) {
      spend(2);
      return it.map((item) => convert(item, depth + 1));
    }
    if (isFunction(it)) refuse('JSONATA_EVALUATION_ERROR', 'The result is or holds a function');
    spend(2);
    const out = emptyObject();
    for (const [key, item] of Object.entries(it)) {
      if (item === undefined) continue;
      spend(key.length + 4);
      out[key] = convert(item, depth + 1);
    }
    return out;
  };
  return convert(value, 0);
}
