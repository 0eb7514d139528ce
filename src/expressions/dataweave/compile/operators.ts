import type { Node, NodeOf } from '../parse/ast.js';
import { coerceTo } from '../runtime/coerce.js';
import { coercionFault, Fault, typeFault } from '../runtime/fault.js';
import { negate as negateNumber } from '../runtime/numbers.js';
import { operatorFunctions } from '../runtime/operator-functions.js';
import { operators, truth } from '../runtime/operators.js';
import type { Code } from '../runtime/slots.js';
import { bitsOf, isDec, isObjectValue, T, typeName, type Value } from '../runtime/values.js';
import { operatorMask, possible, wrongElements } from './check.js';
import type { Compiler } from './compiler.js';
import type { Names } from './names.js';
import { type Typed, typed, unknown } from './typed.js';

/** A binary operator. */
export function compileBinary(c: Compiler, node: NodeOf<'binary'>, names: Names): Typed {
  if (c.journey && node.op === '-') return compileMinus(c, node, names);
  const a = c.compile(node.left, names);
  const b = c.compile(node.right, names);
  const slow = operatorFunctions.get(node.op);
  if (slow) {
    const byName = node.op === '--' && a.mask === T.Object && b.mask === T.Array;
    c.refuseIf(byName && wrongElements(slow, b.elements), node, "'--' takes an array of names");
    c.refuseIf(!possible(slow, [a.mask, b.mask]), node, `'${node.op}' does not take these types`);
  }
  const mask = operatorMask(node.op, a.mask, b.mask);
  const { code: left } = a;
  const { code: right } = b;
  if (node.op === '==') return typed((ev, slots) => operators['=='](ev, left(ev, slots), right(ev, slots)), mask);
  if (node.op === '!=') return typed((ev, slots) => operators['!='](ev, left(ev, slots), right(ev, slots)), mask);
  const apply = operators[node.op];
  const code = c.located(node, (ev, slots) => apply(ev, left(ev, slots), right(ev, slots)));
  return typed(code, mask);
}

/** Object − Array means `--` in journey mode. */
function compileMinus(c: Compiler, node: NodeOf<'binary'>, names: Names): Typed {
  if (node.right.kind === 'array' && node.left.kind !== 'array')
    c.lint('DW-D10', node.start, "'-' with an array of names is not standard", "write '--' to remove several fields");
  const left = c.code(node.left, names);
  const right = c.code(node.right, names);
  const code = c.located(node, (ev, slots) => {
    const a = left(ev, slots);
    const b = right(ev, slots);
    const apply = Array.isArray(b) && isObjectValue(a) ? operators['--'] : operators['-'];
    return apply(ev, a, b);
  });
  return typed(code);
}

/** `and` and `or`, which compute their right side only if they need it. */
export function compileLogical(c: Compiler, node: NodeOf<'and' | 'or'>, names: Names): Typed {
  const { code: left, mask } = c.truthy(node.left, names);
  const { code: right, mask: other } = c.truthy(node.right, names);
  const code: Code =
    node.kind === 'and'
      ? (ev, slots) => truth(left(ev, slots)) && truth(right(ev, slots))
      : (ev, slots) => truth(left(ev, slots)) || truth(right(ev, slots));
  // The real engine's checker says nothing about an operand of unknown type, nor about what it is part of.
  return typed(c.located(node, code), unknown(mask | other) ? T.Any : T.Boolean);
}

/** `not` and the sign of a number. */
export function compilePrefix(c: Compiler, node: NodeOf<'not' | 'negate'>, names: Names): Typed {
  return node.kind === 'not' ? compileNot(c, node, names) : compileNegate(c, node, names);
}

function compileNot(c: Compiler, node: NodeOf<'not' | 'negate'>, names: Names): Typed {
  const { code: operand, mask } = c.truthy(node.operand, names);
  const code = c.located(node, (ev, slots) => {
    const value = operand(ev, slots);
    if (typeof value === 'boolean') return !value;
    if (value === null) throw coercionFault('Null', 'Boolean');
    if ((bitsOf(value) & T.String) === 0 || !/^(true|false)$/i.test(value as string))
      throw typeFault(`'not' does not take ${typeName(value)}`);
    return !truth(value);
  });
  return typed(code, unknown(mask) ? mask : T.Boolean);
}

function compileNegate(c: Compiler, node: NodeOf<'not' | 'negate'>, names: Names): Typed {
  const { code: operand, mask } = c.compile(node.operand, names);
  c.refuseIf((mask & (T.Null | T.Boolean | T.Array | T.Object)) === mask, node, 'A number is needed here');
  const code = c.located(node, (ev, slots) => {
    const value = operand(ev, slots);
    if (typeof value === 'number' || isDec(value)) return negateNumber(value);
    if (value === null) throw coercionFault('Null', 'Number');
    try {
      return negateNumber(coerceTo(ev, value, T.Number) as number);
    } catch {
      throw typeFault(`'-' does not take ${typeName(value)}`);
    }
  });
  return typed(code, T.Number);
}

/** `default`: the right side where the left one is null, or failed for want of a value. */
export function compileDefault(c: Compiler, node: NodeOf<'default'>, names: Names): Typed {
  const { code: left, mask } = c.compile(node.left, names);
  const { code: right, mask: other } = c.compile(node.right, names);
  const leftMask = mask & ~T.Null;
  const late = isLate(node.left);
  const code: Code = (ev, slots) => {
    const { depth, weight } = ev;
    let value: Value;
    try {
      value = left(ev, slots);
    } catch (error) {
      if (!(error instanceof Fault) || !error.rescuable || (late && error.late)) throw error;
      ev.depth = depth;
      ev.weight = weight;
      value = null;
    }
    return value === null ? right(ev, slots) : value;
  };
  return typed(code, (leftMask | T.Null) === T.Any ? T.Any : other | leftMask);
}

const lateFunctions = new Set(
  'map filter flatMap distinctBy mapObject pluck filterObject partition join leftJoin'.split(' '),
);

/** Functions that pass such elements on without reading them. */
const passing = new Set(['flatten', 'then', 'onNull']);

/** What a lambda gives, or the node itself if it is none. */
function lambdaBody(node: Node): Node {
  if (node.kind === 'group') return lambdaBody(node.inner);
  return node.kind === 'lambda' ? node.body : node;
}

/** Whether the real engine computes elements of the value only when they are read. */
function isLate(node: Node): boolean {
  switch (node.kind) {
    case 'group':
      return isLate(node.inner);
    case 'array':
      return node.items.some((it) => isLate(it.value));
    case 'object':
      return node.entries.some((it) => it.kind === 'spread' || isLate(it.value));
    case 'if':
      return isLate(node.yes) || isLate(node.no);
    case 'do':
      return isLate(node.body);
    case 'default':
      return isLate(node.left) || isLate(node.right);
    case 'binary':
      return ['++', '+', '<<', '>>'].includes(node.op) && (isLate(node.left) || isLate(node.right));
    case 'call': {
      const { callee, args } = node;
      if (callee.kind !== 'name' && callee.kind !== 'qualified') return false;
      return lateFunctions.has(callee.name) || (passing.has(callee.name) && args.some((it) => isLate(lambdaBody(it))));
    }
    default:
      return false;
  }
}
