import type { NodeOf, Pattern } from '../parse/ast.js';
import { similarValues } from '../runtime/equality.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { truth } from '../runtime/operators.js';
import { makeRegex, matchWhole } from '../runtime/regex.js';
import type { Code, Slots } from '../runtime/slots.js';
import { toText } from '../runtime/text.js';
import {
  DwObject,
  isObjectValue,
  Key,
  keyList,
  RangeArray,
  RegexValue,
  typeName,
  type Value,
  valueList,
} from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { Names, type SelfCall } from './names.js';
import { resolveType } from './type.js';

type Test = (ev: Evaluation, slots: Slots, value: Value) => boolean;

/** `value match { case … }`: the body of the first pattern that fits. */
export function compileMatch(c: Compiler, node: NodeOf<'match'>, names: Names, self: SelfCall | null): Code {
  const subject = c.code(node.value, names);
  const cases = node.cases.map(({ pattern, body }) => {
    const inner = new Names(names.layout, names);
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

function compilePattern(c: Compiler, pattern: Pattern, names: Names): Test {
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

/** A range matches no pattern for arrays. */
function isPlainArray(value: Value): value is Value[] {
  return Array.isArray(value) && !(value instanceof RangeArray);
}

/** Binds the value under its name, or under `$` where there is none, when the test holds. */
function binding(names: Names, name: string | null, test: Test): Test {
  const slot = names.declare(name ?? '$');
  return (ev, slots, value) => {
    if (!test(ev, slots, value)) return false;
    slots[slot] = value;
    return true;
  };
}

function regexPattern(c: Compiler, pattern: Extract<Pattern, { kind: 'regex' }>, names: Names): Test {
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
