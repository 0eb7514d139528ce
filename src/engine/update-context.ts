import { emptyObject, equal, isObject, type Json, type JsonObject } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Target } from './definition/definition.js';
import { defaultMetadataLimits } from './definition/metadata-limits.js';
import type { Frame } from './frame.js';
import type { Run } from './run.js';
import { checkAttributes, setAttributeOnce } from './run-tags-and-attributes.js';

/** Returns a copy of `object` with one field set. Contexts are never changed in place. */
export function withField(object: JsonObject, key: string, value: Json): JsonObject {
  const out = Object.assign(emptyObject(), object);
  out[key] = value;
  return out;
}

/** Returns a copy of `object` without one field, or the object itself if it has no such field. */
export function withoutField(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const out = Object.assign(emptyObject(), object);
  delete out[key];
  return out;
}

/** Returns a copy of `object` with `value` at `path`. Anything on the path that is not an object is replaced. */
export function withPath(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) throw new RangeError('a path has at least one part');
  if (rest.length === 0) return withField(object, key, value);
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return withField(object, key, withPath(isObject(inner) ? inner : emptyObject(), rest, value));
}

/** Returns a copy of `object` with each value set at its dot path. Used for request data that a binding copies into the context. */
export function withFields(object: JsonObject, fields: JsonObject): JsonObject {
  return Object.entries(fields).reduce((out, [path, value]) => withPath(out, path.split('.'), value), object);
}

/**
 * Applies the difference between `before` and `after` to `target`: fields added, changed and removed, recursively in objects. Any other
 * value, arrays included, is replaced as a whole. A join without a mapper merges its branches this way.
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

/** Writes a mapper's result to its target. */
export function writeTarget(target: Target, value: Json, frame: Frame, run: Run): void {
  switch (target.kind) {
    case 'var':
      frame.context = withField(frame.context, target.name, value);
      return;
    case 'root':
      frame.context = needObject(value);
      return;
    case 'path':
      frame.context = withPath(frame.context, target.path, needObject(value));
      return;
    case 'attributes':
      writeAttributes(needObject(value), run);
  }
}

function needObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  return refuse('TRANSFORM_NOT_OBJECT', 'The mapper must return an object here.', {
    hint: 'Use `target.kind: var` with a `resultVar` for values that are not objects.',
  });
}

function writeAttributes(values: JsonObject, run: Run): void {
  const attributes = Object.assign(emptyObject(), run.position.attributes);
  for (const [key, value] of Object.entries(values)) if (value !== null) setAttributeOnce(attributes, key, value);
  checkAttributes(attributes, run.host.metadata ?? defaultMetadataLimits);
  run.position.attributes = attributes;
}
