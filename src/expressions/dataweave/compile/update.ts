import type { NodeOf, UpdateCase } from '../parse/ast.js';
import { changeAttribute, inPlaceOf } from '../runtime/annotations.js';
import { coerceTo } from '../runtime/coerce.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { asInteger, type Num } from '../runtime/numbers.js';
import { condition } from '../runtime/operators.js';
import type { Code, Slots } from '../runtime/slots.js';
import { toText } from '../runtime/text.js';
import { Annotated, bare, DwObject, isObjectValue, keyList, T, type Value, valueList } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { Names } from './names.js';

interface Step {
  kind: 'field' | 'all' | 'index' | 'attribute';
  key: Value;
}

/** The new value for an old one; `at` is how many values of the same name come before it, or its position in an array. */
type Change = (old: Value, at: number) => Value;

/** `value update { case .path -> … }`: a copy with the values at the paths replaced. */
export function compileUpdate(c: Compiler, node: NodeOf<'update'>, names: Names): Code {
  const subject = c.code(node.value, names);
  const cases = node.cases.map((it) => compileCase(c, it, names));
  return c.located(node, (ev, slots) => {
    let value = subject(ev, slots);
    const done: string[] = [];
    for (const update of cases) value = update(ev, slots, value, done);
    return value;
  });
}

function compileCase(
  c: Compiler,
  it: UpdateCase,
  names: Names,
): (ev: Evaluation, slots: Slots, value: Value, done: string[]) => Value {
  const inner = new Names(names.layout, names);
  const slot = inner.declare(it.name ?? '$');
  const index = inner.declare('$$');
  const path = it.path.map((step) => ({ kind: step.kind, key: c.code(step.key, names) }));
  const test = it.condition ? c.code(it.condition, inner) : null;
  const body = c.tolerantly(() => c.code(it.body, inner));
  return (ev, slots, value, done) => {
    const steps: Step[] = path.map((step) => {
      const key = step.key(ev, slots);
      if (step.kind === 'index') return { kind: 'index', key: coerceTo(ev, key, T.Number) };
      return { kind: step.kind, key: toText(key) };
    });
    if (value === null) return null;
    const id = steps
      .map((step) => `${step.kind === 'attribute' ? '@' : step.kind === 'index'}:${toText(step.key)}/`)
      .join('');
    if (done.some((it) => id.startsWith(it))) return value;
    return apply(ev, value, -1, steps, 0, it.upsert, (old, at) => {
      slots[slot] = old;
      slots[index] = at;
      if (test && !condition(test(ev, slots))) return old;
      done.push(id);
      return body(ev, slots);
    });
  };
}

function apply(
  ev: Evaluation,
  value: Value,
  position: number,
  steps: Step[],
  at: number,
  upsert: boolean,
  change: Change,
): Value {
  const step = steps[at];
  if (!step) return inPlaceOf(value, change(bare(value), position));
  if (step.kind === 'attribute') return changeAttribute(value, step.key as string, upsert, (old) => change(old, -1));
  if (value instanceof Annotated) return inPlaceOf(value, apply(ev, value.inner, position, steps, at, upsert, change));
  const next: Change = (old, index) => apply(ev, old, index, steps, at + 1, upsert, change);
  if (step.kind === 'index') return applyIndex(ev, value, asInteger(step.key as Num) ?? 0, upsert, next);
  const name = step.key as string;
  if (value === null && upsert) return new DwObject([name], [next(null, -1)]);
  if (!isObjectValue(value)) return value;
  return applyField(ev, value, name, step.kind === 'all', upsert, next);
}

function applyIndex(ev: Evaluation, value: Value, index: number, upsert: boolean, next: Change): Value {
  if (value === null && upsert) return [next(null, -1)];
  if (!Array.isArray(value)) return value;
  ev.charge(value.length);
  const position = index < 0 ? value.length + index : index;
  if (position < 0 || position >= value.length) return upsert ? [...value, next(null, -1)] : value;
  return value.map((item, i) => (i === position ? next(item, i) : item));
}

function applyField(
  ev: Evaluation,
  object: Parameters<typeof keyList>[0],
  name: string,
  all: boolean,
  upsert: boolean,
  next: Change,
): Value {
  const keys = keyList(object);
  const values = valueList(object);
  ev.charge(keys.length);
  const out = new DwObject();
  let found = 0;
  for (let i = 0; i < keys.length; i++) {
    const hit: boolean = keys[i] === name && (all || found === 0);
    out.add(keys[i]!, hit ? next(values[i]!, found) : values[i]!);
    if (hit) found++;
  }
  if (found === 0 && !upsert) return object as Value;
  if (found === 0) out.add(name, next(null, -1));
  return out;
}
