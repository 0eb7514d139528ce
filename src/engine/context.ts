import { emptyObject, equal, isObject, type Json, type JsonObject } from '../json/value.js';

/** A copy of `object` with one field set. Contexts are never changed in place. */
export function withField(object: JsonObject, key: string, value: Json): JsonObject {
  const out = Object.assign(emptyObject(), object);
  out[key] = value;
  return out;
}

/** A copy of `object` without one field; the object itself where it has no such field. */
export function withoutField(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const out = Object.assign(emptyObject(), object);
  delete out[key];
  return out;
}

/** A copy of `object` with `value` at `path`; anything in the way that is not an object is replaced. */
export function withPath(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) throw new RangeError('a path has at least one part');
  if (rest.length === 0) return withField(object, key, value);
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return withField(object, key, withPath(isObject(inner) ? inner : emptyObject(), rest, value));
}

/** A copy of `object` with each value at its dot path: what a request brings, put where its binding says. */
export function withFields(object: JsonObject, fields: JsonObject): JsonObject {
  return Object.entries(fields).reduce((out, [path, value]) => withPath(out, path.split('.'), value), object);
}

/**
 * `target` with the changes that lead from `before` to `after`: fields set, changed and removed, object by object; anything else,
 * arrays included, is replaced whole. This is how a join without a mapper brings its branches together.
 */
export function applyChanges(target: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  if (before === after) return target;
  let out = target;
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) out = withoutField(out, key);
  }
  for (const key of Object.keys(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const is = after[key] as Json;
    if (was === is || equal(was, is)) continue;
    const there = Object.hasOwn(out, key) ? out[key] : undefined;
    const merged = isObject(is) && isObject(there) ? applyChanges(there, isObject(was) ? was : emptyObject(), is) : is;
    out = withField(out, key, merged);
  }
  return out;
}
