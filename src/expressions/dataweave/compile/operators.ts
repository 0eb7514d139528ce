import type { Node, NodeOf } from '../parse/ast.js';
import { coerceTo } from '../runtime/coerce.js';
import { coercionFault, Fault, typeFault } from '../runtime/fault.js';
import type { Code } from '../runtime/frame.js';
import { negate as negateNumber } from '../runtime/numbers.js';
import { operatorFunctions } from '../runtime/operator-functions.js';
import { operators, truth } from '../runtime/operators.js';
import { bitsOf, isDec, isObjectValue, T, typeName, type Value } from '../runtime/values.js';
import { operatorMask, possible, wrongElements } from './check.js';
import type { Compiler } from './compiler.js';
import type { Names } from './names.js';

export function binary(c: Compiler, node: NodeOf<'binary'>, names: Names): Code {
  if (c.journey && node.op === '-') return minus(c, node, names);
  const left = c.compile(node.left, names);
  const leftMask = c.mask;
  const right = c.compile(node.right, names);
  const byName = node.op === '--' && leftMask === T.Object && c.mask === T.Array;
  c.refuseIf(byName && wrongElements('--', c.elements), node, "'--' takes an array of names");
  const slow = operatorFunctions.get(node.op);
  c.refuseIf(slow !== undefined && !possible(slow, [leftMask, c.mask]), node, `'${node.op}' does not take these types`);
  c.mask = operatorMask(node.op, leftMask, c.mask);
  if (node.op === '==') return (ev, frame) => operators['=='](ev, left(ev, frame), right(ev, frame));
  if (node.op === '!=') return (ev, frame) => operators['!='](ev, left(ev, frame), right(ev, frame));
  const apply = operators[node.op];
  return c.located(node, (ev, frame) => apply(ev, left(ev, frame), right(ev, frame)));
}

/** Object − Array means `--` in journey mode. */
function minus(c: Compiler, node: NodeOf<'binary'>, names: Names): Code {
  if (node.right.kind === 'array' && node.left.kind !== 'array')
    c.lint('DW-D10', node.start, "'-' with an array of names is not standard", "write '--' to remove several fields");
  const left = c.compile(node.left, names);
  const right = c.compile(node.right, names);
  c.mask = T.Any;
  return c.located(node, (ev, frame) => {
    const a = left(ev, frame);
    const b = right(ev, frame);
    const apply = Array.isArray(b) && isObjectValue(a) ? operators['--'] : operators['-'];
    return apply(ev, a, b);
  });
}

export function logical(c: Compiler, node: NodeOf<'and' | 'or'>, names: Names): Code {
  const left = c.truthy(node.left, names);
  const first = c.mask;
  const right = c.truthy(node.right, names);
  // Of an operand of unknown type the real engine's checker says nothing, nor of what it is part of.
  c.mask = ((first | c.mask) & T.Any) === T.Any ? T.Any : T.Boolean;
  if (node.kind === 'and') return c.located(node, (ev, frame) => truth(left(ev, frame)) && truth(right(ev, frame)));
  return c.located(node, (ev, frame) => truth(left(ev, frame)) || truth(right(ev, frame)));
}

export function prefix(c: Compiler, node: NodeOf<'not' | 'negate'>, names: Names): Code {
  const operand = node.kind === 'not' ? c.truthy(node.operand, names) : c.compile(node.operand, names);
  if (node.kind === 'not' && (c.mask & T.Any) !== T.Any) c.mask = T.Boolean;
  c.refuseIf(
    node.kind === 'negate' && (c.mask & (T.Null | T.Boolean | T.Array | T.Object)) === c.mask,
    node,
    'A number is needed here',
  );
  if (node.kind === 'not')
    return c.located(node, (ev, frame) => {
      const value = operand(ev, frame);
      if (typeof value === 'boolean') return !value;
      if (value === null) throw coercionFault('Null', 'Boolean');
      if ((bitsOf(value) & T.String) === 0 || !/^(true|false)$/i.test(value as string))
        throw typeFault(`'not' does not take ${typeName(value)}`);
      return !truth(value);
    });
  return c.located(node, (ev, frame) => {
    const value = operand(ev, frame);
    if (typeof value === 'number' || isDec(value)) return negateNumber(value);
    if (value === null) throw coercionFault('Null', 'Number');
    try {
      return negateNumber(coerceTo(ev, value, T.Number) as number);
    } catch {
      throw typeFault(`'-' does not take ${typeName(value)}`);
    }
  });
}

export function fallback(c: Compiler, node: NodeOf<'default'>, names: Names): Code {
  const left = c.compile(node.left, names);
  const leftMask = c.mask & ~T.Null;
  const right = c.compile(node.right, names);
  c.mask = (leftMask | T.Null) === T.Any ? T.Any : c.mask | leftMask;
  const late = isLate(node.left);
  return (ev, frame) => {
    const { depth, weight } = ev;
    let value: Value;
    try {
      value = left(ev, frame);
    } catch (error) {
      if (!(error instanceof Fault) || !error.rescuable || (late && error.late)) throw error;
      ev.depth = depth;
      ev.weight = weight;
      value = null;
    }
    return value === null ? right(ev, frame) : value;
  };
}

const lateFunctions = new Set(
  'map filter flatMap distinctBy mapObject pluck filterObject partition join leftJoin'.split(' '),
);

/** Functions and operators that pass such elements on without looking at them. */
const passing = new Set(['flatten', 'then', 'onNull']);

/** What a lambda gives, or the node itself if it is none. */
function lambdaBody(node: Node): Node {
  if (node.kind === 'group') return lambdaBody(node.inner);
  return node.kind === 'lambda' ? node.body : node;
}

/** Whether elements of the value are computed only when somebody looks at them, in the real engine. */
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
