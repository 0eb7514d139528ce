import { canonical, type Json, own } from '../../json/value.js';
import { below } from '../errors.js';
import type { Keyword } from '../validation.js';

function countBound(name: string, fewer: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || !Array.isArray(value) || holds(value.length, limit)) return;
    run.fail(at, name, `must NOT have ${fewer} than ${limit} items`);
  };
}

export const minItems = countBound('minItems', 'fewer', (count, limit) => count >= limit);
export const maxItems = countBound('maxItems', 'more', (count, limit) => count <= limit);

export const uniqueItems: Keyword = (on, { value, at }, run) => {
  if (on !== true || !Array.isArray(value)) return;
  const seen = new Map<string, number>();
  for (const [i, item] of value.entries()) {
    const text = canonical(item);
    run.spend(1 + Math.ceil(text.length / 20));
    const first = seen.get(text);
    if (first !== undefined) {
      run.fail(at, 'uniqueItems', `must NOT have duplicate items (items ## ${first} and ${i} are identical)`);
      return;
    }
    seen.set(text, i);
  }
};

export const prefixItems: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas) || !Array.isArray(value)) return;
  const count = Math.min(schemas.length, value.length);
  for (let i = 0; i < count; i++) run.apply(schemas[i]!, value[i]!, below(at, i, 'prefixItems', i), scope);
  evaluated.firstItems(count);
};

export const items: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  const prefix = own(parent, 'prefixItems');
  const from = Array.isArray(prefix) ? prefix.length : 0;
  if (schema === false) {
    if (value.length > from) run.fail(at, 'items', `must NOT have more than ${from} items`);
  } else {
    for (let i = from; i < value.length; i++) run.apply(schema, value[i]!, below(at, i, 'items'), scope);
  }
  evaluated.everyItem();
};

export const contains: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  const min = numberOr(own(parent, 'minContains'), 1);
  const max = numberOr(own(parent, 'maxContains'), Number.POSITIVE_INFINITY);
  let count = 0;
  for (const [i, item] of value.entries()) {
    if (!run.accepts(schema, item, below(at, i, 'contains'), scope)) continue;
    count += 1;
    evaluated.item(i);
  }
  if (count >= min && count <= max) return;
  const range = Number.isFinite(max) ? `at least ${min} and no more than ${max}` : `at least ${min}`;
  run.fail(at, 'contains', `must contain ${range} valid item(s)`);
};

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

export const unevaluatedItems: Keyword = (schema, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  for (const [i, item] of value.entries()) {
    if (evaluated.hasItem(i)) continue;
    if (schema === false) {
      run.fail(at, 'unevaluatedItems', `must NOT have more than ${i} items`);
      break;
    }
    run.apply(schema, item, below(at, i, 'unevaluatedItems'), scope);
  }
  evaluated.everyItem();
};
