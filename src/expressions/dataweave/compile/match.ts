import type { NodeOf, Pattern } from '../parse/ast.js';
import { similarValues } from '../runtime/equality.js';
import type { Run } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { truth } from '../runtime/operators.js';
import { makeRegex, matchWhole } from '../runtime/regex.js';
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
import { type Code, type Frame, Scope, type SelfCall } from './names.js';
import { resolveType } from './type.js';

type Test = (run: Run, frame: Frame, value: Value) => boolean;

/** `value match { case … }`: the body of the first pattern that fits. */
export function compileMatch(c: Compiler, node: NodeOf<'match'>, scope: Scope, self: SelfCall | null): Code {
  const subject = c.compile(node.value, scope);
  const cases = node.cases.map(({ pattern, body }) => {
    const inner = new Scope(scope.fn, scope);
    const test = compilePattern(c, pattern, inner);
    return { test, body: c.tolerantly(() => c.compile(body, inner, self)) };
  });
  return c.located(node, (run, frame) => {
    const value = subject(run, frame);
    for (const { test, body } of cases) if (test(run, frame, value)) return body(run, frame);
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `No case matches a value of type ${typeName(value)}`,
      false,
      'NoMatchFoundException',
    );
  });
}

function compilePattern(c: Compiler, pattern: Pattern, scope: Scope): Test {
  switch (pattern.kind) {
    case 'else':
      return binding(scope, pattern.name, () => true);
    case 'literal': {
      const literal = c.compile(pattern.value, scope);
      return binding(scope, pattern.name, (run, frame, value) => {
        const wanted = literal(run, frame);
        return similarValues(run, value, wanted);
      });
    }
    case 'typed': {
      const type = resolveType(c, pattern.type, scope);
      return binding(scope, pattern.name, (_run, _frame, value) => type.accepts(value));
    }
    case 'guard': {
      const slot = scope.declare(pattern.name ?? '$');
      const test = c.compile(pattern.condition, scope);
      return (run, frame, value) => {
        frame[slot] = value;
        return truth(test(run, frame));
      };
    }
    case 'regex':
      return regexPattern(c, pattern, scope);
    case 'emptyArray':
      return (_run, _frame, value) => isPlainArray(value) && value.length === 0;
    case 'emptyObject':
      return (_run, _frame, value) => isObjectValue(value) && keyList(value).length === 0;
    case 'headArray': {
      const head = scope.declare(pattern.head);
      const tail = scope.declare(pattern.tail);
      return (run, frame, value) => {
        if (!isPlainArray(value) || value.length === 0) return false;
        run.charge(value.length >> 2);
        frame[head] = value[0]!;
        frame[tail] = value.slice(1);
        return true;
      };
    }
    case 'headObject': {
      const key = scope.declare(pattern.key);
      const head = scope.declare(pattern.value);
      const tail = scope.declare(pattern.tail);
      return (run, frame, value) => {
        if (!isObjectValue(value) || keyList(value).length === 0) return false;
        run.charge(keyList(value).length >> 2);
        frame[key] = new Key(keyList(value)[0]!);
        frame[head] = valueList(value)[0]!;
        frame[tail] = new DwObject(keyList(value).slice(1), valueList(value).slice(1));
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
function binding(scope: Scope, name: string | null, test: Test): Test {
  const slot = scope.declare(name ?? '$');
  return (run, frame, value) => {
    if (!test(run, frame, value)) return false;
    frame[slot] = value;
    return true;
  };
}

function regexPattern(c: Compiler, pattern: Extract<Pattern, { kind: 'regex' }>, scope: Scope): Test {
  const regex = c.compile(pattern.regex, scope);
  const slot = scope.declare(pattern.name ?? '$');
  return (run, frame, value) => {
    const text = toText(value);
    const source = regex(run, frame);
    const match = matchWhole(run, source instanceof RegexValue ? source : makeRegex(toText(source)), text);
    if (!match) return false;
    frame[slot] = match.groups;
    return true;
  };
}
