import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { Annotated, DwObject, isObjectValue, Key, type Value, valueList, withoutAnnotations } from './values.js';

/** Attributes that a selector picks: the first with a name, all with that name, or all at any depth. */
export type AttributeOp = '.@' | '.*@' | '..@';

/** Attributes of a value's key, if any. */
export function valueAttributes(value: Value): DwObject | null {
  return value instanceof Annotated || value instanceof Key ? value.attributes : null;
}

/** `value.@name`, or all attributes if `name` is null. Undefined without a match. */
export function selectAttributes(
  ev: Evaluation,
  value: Value,
  name: string | null,
  op: AttributeOp,
): Value | undefined {
  if (op === '..@') return deepAttributes(ev, value, name);
  const inner = withoutAnnotations(value);
  if (Array.isArray(inner) && valueAttributes(value) === null) {
    ev.charge(inner.length);
    const found = inner.flatMap((it) => {
      const one = ownAttributes(it, name, op);
      return one === undefined ? [] : [one];
    });
    return found.length === 0 && name !== null ? undefined : found;
  }
  return ownAttributes(value, name, op);
}

function ownAttributes(value: Value, name: string | null, op: AttributeOp): Value | undefined {
  const attributes = valueAttributes(value);
  if (!attributes) return undefined;
  if (name === null) return attributes;
  const found = attributes.values.filter((_, i) => attributes.keys[i] === name);
  if (found.length === 0) return undefined;
  return op === '.*@' ? found : found[0];
}

function deepAttributes(ev: Evaluation, value: Value, name: string | null): Value | undefined {
  const found: Value[] = [];
  const walk = (it: Value, depth: number) => {
    if (depth > 500) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', 'The value nests too deeply');
    const own = ownAttributes(it, name, '.@');
    if (own !== undefined) found.push(own);
    const inner = withoutAnnotations(it);
    const children = Array.isArray(inner) ? inner : isObjectValue(inner) ? valueList(inner) : [];
    ev.charge(children.length + 1);
    for (const child of children) walk(child, depth + 1);
  };
  walk(value, 0);
  return found.length === 0 ? undefined : found;
}

/** `value.^name`: an option that the value was converted with, or all options if `name` is null. */
export function selectMetadata(value: Value, name: string | null): Value | undefined {
  const schema = value instanceof Annotated ? value.schema : null;
  if (name === null) return schema ?? new DwObject();
  const at = schema ? schema.find(name) : -1;
  return at === -1 ? undefined : schema!.values[at];
}

/** Attaches the attributes of a key to its value. */
export function withAttributes(value: Value, attributes: DwObject): Value {
  return new Annotated(withoutAnnotations(value), attributes, value instanceof Annotated ? value.schema : null);
}

/** Replaces `old` by `value`, keeping the attributes of `old`. */
export function keepAttributes(old: Value, value: Value): Value {
  return old instanceof Annotated && old.attributes ? withAttributes(value, old.attributes) : value;
}

/** Changes an attribute of a value; with `add`, adds a missing one. */
export function changeAttribute(value: Value, name: string, add: boolean, change: (old: Value) => Value): Value {
  const attributes = valueAttributes(value);
  const at = attributes ? attributes.find(name) : -1;
  if (at === -1 && !add) return value;
  const changed = new DwObject([...(attributes?.keys ?? [])], [...(attributes?.values ?? [])]);
  if (at === -1) changed.add(name, change(null));
  else changed.values[at] = change(changed.values[at]!);
  return withAttributes(value, changed);
}
