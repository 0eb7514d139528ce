import type { Declaration, Node, NodeOf } from '../parse/ast.js';
import { coerceTo } from '../runtime/coercion.js';
import { coercionFault, Fault, typeFault } from '../runtime/evaluation-fault.js';
import type { CompiledCode } from '../runtime/evaluation-state.js';
import { operatorFunctions } from '../runtime/non-numeric-operators.js';
import { negate as negateNumber } from '../runtime/numbers.js';
import { operators, truth } from '../runtime/operators.js';
import { toText } from '../runtime/text-encodings.js';
import { bitsOf, isDec, isObjectValue, T, typeName, type Value } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import type { NameScope } from './name-scope.js';
import { acceptsTypes, isComparison, operatorMask, wrongElements } from './static-type-checks.js';
import { isUnknownType, type TypedCode, typed } from './typed-code.js';

/** Compiles a binary operator. */
export function compileBinary(c: Compiler, node: NodeOf<'binary'>, names: NameScope): TypedCode {
  if (c.journey && node.op === '-') return compileMinus(c, node, names);
  const a = c.compile(node.left, names);
  const b = c.compile(node.right, names);
  const slow = operatorFunctions.get(node.op);
  if (slow) {
    const byName = node.op === '--' && a.mask === T.Object && b.mask === T.Array;
    c.refuseIf(byName && wrongElements(slow, b.elements), node, "'--' requires an array of names");
    c.refuseIf(!acceptsTypes(slow, [a.mask, b.mask]), node, `'${node.op}' does not accept these types`);
  }
  // The reference engine does not infer the type of a comparison with an unknown operand, so it rejects less around it.
  const unknown = !c.journey && (isUnknownType(a.mask) || isUnknownType(b.mask));
  const mask = unknown && isComparison(node.op) ? T.Any : operatorMask(node.op, a.mask, b.mask);
  const { code: left } = a;
  const { code: right } = b;
  if (node.op === '==') return typed((ev, slots) => operators['=='](ev, left(ev, slots), right(ev, slots)), mask);
  if (node.op === '!=') return typed((ev, slots) => operators['!='](ev, left(ev, slots), right(ev, slots)), mask);
  const apply = operators[node.op];
  const code = c.located(node, (ev, slots) => apply(ev, left(ev, slots), right(ev, slots)));
  return typed(code, mask);
}

/** Compiles `-`; in journey mode Object − Array means `--`. */
function compileMinus(c: Compiler, node: NodeOf<'binary'>, names: NameScope): TypedCode {
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

/** Compiles `and` and `or`, which evaluate their right side only if needed. */
export function compileLogical(c: Compiler, node: NodeOf<'and' | 'or'>, names: NameScope): TypedCode {
  const { code: left, mask } = c.truthy(node.left, names);
  const { code: right, mask: other } = c.truthy(node.right, names);
  const code: CompiledCode =
    node.kind === 'and'
      ? (ev, slots) => truth(left(ev, slots)) && truth(right(ev, slots))
      : (ev, slots) => truth(left(ev, slots)) || truth(right(ev, slots));
  // The reference engine's type checker ignores operands of unknown type and everything that contains them.
  return typed(c.located(node, code), isUnknownType(mask | other) ? T.Any : T.Boolean);
}

/** Compiles `not` and unary minus. */
export function compilePrefix(c: Compiler, node: NodeOf<'not' | 'negate'>, names: NameScope): TypedCode {
  return node.kind === 'not' ? compileNot(c, node, names) : compileNegate(c, node, names);
}

function compileNot(c: Compiler, node: NodeOf<'not' | 'negate'>, names: NameScope): TypedCode {
  const { code: operand, mask } = c.truthy(node.operand, names);
  const code = c.located(node, (ev, slots) => {
    const value = operand(ev, slots);
    if (typeof value === 'boolean') return !value;
    if (value === null) throw coercionFault('Null', 'Boolean');
    if ((bitsOf(value) & (T.String | T.Key)) === 0 || !/^(true|false)$/i.test(toText(value)))
      throw typeFault(`'not' does not accept ${typeName(value)}`);
    return !truth(value);
  });
  return typed(code, isUnknownType(mask) ? mask : T.Boolean);
}

function compileNegate(c: Compiler, node: NodeOf<'not' | 'negate'>, names: NameScope): TypedCode {
  const { code: operand, mask } = c.compile(node.operand, names);
  c.refuseIf((mask & (T.Null | T.Boolean | T.Array | T.Object)) === mask, node, 'A number is required here');
  const code = c.located(node, (ev, slots) => {
    const value = operand(ev, slots);
    if (typeof value === 'number' || isDec(value)) return negateNumber(value);
    if (value === null) throw coercionFault('Null', 'Number');
    try {
      return negateNumber(coerceTo(ev, value, T.Number) as number);
    } catch {
      throw typeFault(`'-' does not accept ${typeName(value)}`);
    }
  });
  return typed(code, T.Number);
}

/** Compiles `default`: the right side when the left side is null or fails because of a missing value. */
export function compileDefault(c: Compiler, node: NodeOf<'default'>, names: NameScope): TypedCode {
  const { code: left, mask } = c.compile(node.left, names);
  const { code: right, mask: other } = c.compile(node.right, names);
  const leftMask = mask & ~T.Null;
  const late = isLate(node.left, functionsIn(names));
  const code: CompiledCode = (ev, slots) => {
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

/** Functions that pass lazy elements on without reading them. */
const passing = new Set(['flatten', 'then', 'onNull', 'find']);

/** Body of a lambda, or the node itself if it is not a lambda. */
function lambdaBody(node: Node): Node {
  if (node.kind === 'group') return lambdaBody(node.inner);
  return node.kind === 'lambda' ? node.body : node;
}

/** Finds the value of a declared variable, or the body of a declared function. */
type Declared = (name: string) => Node | undefined;

function functionsIn(names: NameScope): Declared {
  return (name) => {
    const binding = names.find(name);
    return binding?.kind === 'slot' ? binding.lambda?.body : undefined;
  };
}

function withDeclarations(outer: Declared, declarations: readonly Declaration[]): Declared {
  const own = new Map<string, Node>();
  for (const it of declarations) {
    if (it.kind === 'var') own.set(it.name, lambdaBody(it.value));
    if (it.kind === 'fun') own.set(it.name, it.lambda.body);
  }
  return (name) => own.get(name) ?? outer(name);
}

/** Whether what a name stands for is computed lazily. A name inside its own declaration is not. */
function isLateName(name: string, declared: Declared): boolean {
  const node = declared(name);
  return node !== undefined && isLate(node, (other) => (other === name ? undefined : declared(other)));
}

/** Whether the value is an object made by a function; `--` reads all of it at once. */
function isComputedObject(node: Node): boolean {
  if (node.kind === 'group') return isComputedObject(node.inner);
  const name = node.kind === 'call' && 'name' in node.callee ? node.callee.name : '';
  return name === 'mapObject' || name === 'filterObject';
}

/** Whether the reference engine computes the elements of the value lazily. */
function isLate(node: Node, declared: Declared): boolean {
  const late = (it: Node) => isLate(it, declared);
  switch (node.kind) {
    case 'group':
      return late(node.inner);
    case 'name':
      return isLateName(node.name, declared);
    case 'array':
      return node.items.some((it) => late(it.value));
    case 'object':
      return node.entries.some((it) => it.kind === 'spread' || late(it.value));
    case 'if':
      return late(node.yes) || late(node.no);
    case 'do':
      return isLate(node.body, withDeclarations(declared, node.declarations));
    case 'default':
      return late(node.left) || late(node.right);
    case 'where':
      return true;
    case 'match':
      return node.cases.some((it) => late(it.body));
    case 'binary':
      if (node.op === '-') return late(node.left);
      if (node.op === '--') return late(node.left) && !isComputedObject(node.left);
      return ['++', '+', '<<', '>>'].includes(node.op) && (late(node.left) || late(node.right));
    case 'call': {
      const { callee, args } = node;
      if (callee.kind !== 'name' && callee.kind !== 'qualified') return late(lambdaBody(callee));
      if (callee.kind === 'name' && declared(callee.name)) return isLateName(callee.name, declared);
      return lateFunctions.has(callee.name) || (passing.has(callee.name) && args.some((it) => late(lambdaBody(it))));
    }
    default:
      return false;
  }
}
