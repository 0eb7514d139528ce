import type { MatchPattern, NodeOf, UpdateCase } from '../parse/ast.js';
import { changeAttribute, keepAttributes } from '../runtime/attributes-and-metadata.js';
import { coerceTo } from '../runtime/coercion.js';
import { similarValues } from '../runtime/equality-and-order.js';
import { Fault } from '../runtime/evaluation-fault.js';
import type { CompiledCode, Evaluation, VariableSlots } from '../runtime/evaluation-state.js';
import { type Num, toDec, wrapTo32Bits } from '../runtime/numbers.js';
import { condition, truth } from '../runtime/operators.js';
import { makeRegex, matchWhole } from '../runtime/regex.js';
import { toText } from '../runtime/text-encodings.js';
import {
  Annotated,
  DwObject,
  isObjectValue,
  isPlainArray,
  Key,
  keyList,
  RegexValue,
  T,
  typeName,
  type Value,
  valueList,
  withoutAnnotations,
} from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { NameScope, type SelfCall } from './name-scope.js';
import { resolveType } from './type-expressions.js';

type Test = (ev: Evaluation, slots: VariableSlots, value: Value) => boolean;

/** Compiles `value match { case … }`, which evaluates the body of the first matching case. */
export function compileMatch(
  c: Compiler,
  node: NodeOf<'match'>,
  names: NameScope,
  self: SelfCall | null,
): CompiledCode {
  const subject = c.code(node.value, names);
  const cases = node.cases.map(({ pattern, body }) => {
    const inner = new NameScope(names.layout, names);
    const test = compilePattern(c, pattern, inner);
    return { test, body: c.tolerantly(() => c.code(body, inner, self)) };
  });
  return c.located(node, (ev, slots) => {
    const value = subject(ev, slots);
    for (const { test, body } of cases) if (test(ev, slots, value)) return body(ev, slots);
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `No case matches a value of type ${typeName(value)}`,
      false,
      'NoMatchFoundException',
    );
  });
}

function compilePattern(c: Compiler, pattern: MatchPattern, names: NameScope): Test {
  switch (pattern.kind) {
    case 'else':
      return binding(names, pattern.name, () => true);
    case 'literal': {
      const literal = c.code(pattern.value, names);
      return binding(names, pattern.name, (ev, slots, value) => {
        const wanted = literal(ev, slots);
        return similarValues(ev, value, wanted);
      });
    }
    case 'typed': {
      const type = resolveType(c, pattern.type, names);
      return binding(names, pattern.name, (_ev, _frame, value) => type.accepts(value));
    }
    case 'guard': {
      const slot = names.declare(pattern.name ?? '$');
      const test = c.code(pattern.condition, names);
      return (ev, slots, value) => {
        slots[slot] = value;
        return truth(test(ev, slots));
      };
    }
    case 'regex':
      return regexPattern(c, pattern, names);
    case 'emptyArray':
      return (_ev, _frame, value) => isPlainArray(value) && value.length === 0;
    case 'emptyObject':
      return (_ev, _frame, value) => isObjectValue(value) && keyList(value).length === 0;
    case 'headArray': {
      const head = names.declare(pattern.head);
      const tail = names.declare(pattern.tail);
      return (ev, slots, value) => {
        if (!isPlainArray(value) || value.length === 0) return false;
        ev.charge(value.length >> 2);
        slots[head] = value[0]!;
        slots[tail] = value.slice(1);
        return true;
      };
    }
    case 'headObject': {
      const key = names.declare(pattern.key);
      const head = names.declare(pattern.value);
      const tail = names.declare(pattern.tail);
      return (ev, slots, value) => {
        if (!isObjectValue(value) || keyList(value).length === 0) return false;
        ev.charge(keyList(value).length >> 2);
        slots[key] = new Key(keyList(value)[0]!);
        slots[head] = valueList(value)[0]!;
        slots[tail] = new DwObject(keyList(value).slice(1), valueList(value).slice(1));
        return true;
      };
    }
  }
}

/** Binds the value to its name, or to `$` without one, when the test succeeds. */
function binding(names: NameScope, name: string | null, test: Test): Test {
  const slot = names.declare(name ?? '$');
  return (ev, slots, value) => {
    if (!test(ev, slots, value)) return false;
    slots[slot] = value;
    return true;
  };
}

function regexPattern(c: Compiler, pattern: Extract<MatchPattern, { kind: 'regex' }>, names: NameScope): Test {
  const regex = c.code(pattern.regex, names);
  const slot = names.declare(pattern.name ?? '$');
  return (ev, slots, value) => {
    const text = toText(value);
    const source = regex(ev, slots);
    const match = matchWhole(ev, source instanceof RegexValue ? source : makeRegex(toText(source)), text);
    if (!match) return false;
    slots[slot] = match.groups;
    return true;
  };
}

interface Step {
  kind: 'field' | 'all' | 'index' | 'attribute';
  key: Value;
}

/** Computes the new value from the old one; `at` is the number of earlier values with the same name, or the array index. */
type Change = (old: Value, at: number) => Value;

/** Compiles `value update { case .path -> … }`: a copy with the values at the paths replaced. */
export function compileUpdate(c: Compiler, node: NodeOf<'update'>, names: NameScope): CompiledCode {
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
  names: NameScope,
): (ev: Evaluation, slots: VariableSlots, value: Value, done: string[]) => Value {
  const inner = new NameScope(names.layout, names);
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
  if (!step) return keepAttributes(value, change(withoutAnnotations(value), position));
  if (step.kind === 'attribute') return changeAttribute(value, step.key as string, upsert, (old) => change(old, -1));
  if (value instanceof Annotated)
    return keepAttributes(value, apply(ev, value.inner, position, steps, at, upsert, change));
  const next: Change = (old, index) => apply(ev, old, index, steps, at + 1, upsert, change);
  if (step.kind === 'index') return applyIndex(ev, value, step.key as Num, upsert, next);
  const name = step.key as string;
  if (value === null && upsert) return new DwObject([name], [next(null, -1)]);
  if (!isObjectValue(value)) return value;
  return applyField(ev, value, name, step.kind === 'all', upsert, next);
}

function applyIndex(ev: Evaluation, value: Value, index: Num, upsert: boolean, next: Change): Value {
  if (value === null && upsert) return [next(null, -1)];
  if (!isPlainArray(value)) return value;
  ev.charge(value.length);
  const whole = toDec(index).trunc();
  const position = wrapTo32Bits(whole.lt(0) ? whole.plus(value.length) : whole);
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
