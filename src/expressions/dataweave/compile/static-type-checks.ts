import type { Node } from '../parse/ast.js';
import { acceptsParameterCount, type LibraryFunction } from '../runtime/library-function-overloads.js';
import { T } from '../runtime/values.js';

const simple =
  T.String |
  T.Number |
  T.Boolean |
  T.Key |
  T.Regex |
  T.Type |
  T.Date |
  T.Time |
  T.LocalTime |
  T.LocalDateTime |
  T.DateTime |
  T.TimeZone |
  T.Period;
const textual = T.String | T.Key;

/** Types that are converted implicitly, by target type. */
const sources: ReadonlyMap<number, number> = new Map<number, number>([
  [T.String, simple | T.Binary],
  [T.Key, simple],
  [T.Number, textual | T.Period | T.DateTime | T.Binary],
  [T.Boolean, textual],
  [T.Regex, textual],
  [T.Binary, T.String | T.Number],
  [T.Date, textual | T.DateTime | T.LocalDateTime],
  [T.DateTime, textual | T.Number | T.LocalDateTime],
  [T.LocalDateTime, textual | T.DateTime],
  [T.Time, textual | T.LocalTime | T.DateTime | T.LocalDateTime],
  [T.LocalTime, textual | T.Time | T.DateTime | T.LocalDateTime],
  [T.TimeZone, textual | T.DateTime | T.Time],
  [T.Period, textual],
]);

function convertible(mask: number, type: number): boolean {
  const wanted = type & T.Any;
  if ((mask & wanted) !== 0) return true;
  return (mask & (sources.get(wanted) ?? 0)) !== 0;
}

/** Whether any signature accepts values of these types. */
export function acceptsTypes(fn: LibraryFunction, masks: readonly number[]): boolean {
  if (masks.some((mask) => (mask & T.Any) === T.Any)) return true;
  return fn.overloads.some(
    (it) =>
      masks.length >= it.min &&
      masks.length <= it.types.length &&
      masks.every((mask, i) => convertible(mask, it.types[i]!)),
  );
}

/**
 * Whether any signature accepts these arguments of a prefix call, in which a lambda needs as many parameters as it receives arguments.
 * `counts` has the parameter count of each lambda argument, and -1 for other arguments.
 */
export function acceptsArguments(fn: LibraryFunction, masks: readonly number[], counts: readonly number[]): boolean {
  return fn.overloads.some((it) =>
    masks.every(
      (mask, i) =>
        convertible(mask, it.types[i] ?? 0) &&
        (counts[i] === -1 || acceptsParameterCount(it.types[i] ?? 0, counts[i] ?? -1)),
    ),
  );
}

/** Whether the expression is a lambda, which is never converted to anything. */
export function isLambda(node: Node): boolean {
  return node.kind === 'group' ? isLambda(node.inner) : node.kind === 'lambda';
}

/** Whether the expression cannot be a Boolean. */
export function neverBoolean(node: Node, mask: number): boolean {
  let inner = node;
  while (inner.kind === 'group') inner = inner.inner;
  if (inner.kind === 'string') return !/^(true|false)$/i.test(inner.value);
  return (mask & (T.Boolean | textual | T.Array | T.Object)) === 0;
}

const comparisons: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', '==', '!=', '~=']);

/** Whether the operator compares values. */
export function isComparison(op: string): boolean {
  return comparisons.has(op);
}

const otherKinds = new Set<Node['kind']>([
  'null',
  'number',
  'string',
  'template',
  'temporal',
  'regex',
  'object',
  'array',
  'lambda',
]);

/** Whether the value may be a Boolean itself, not just convertible to one. */
export function mayBeBoolean(node: Node, mask: number): boolean {
  if (node.kind === 'group') return mayBeBoolean(node.inner, mask);
  if (node.kind === 'do') return mayBeBoolean(node.body, mask);
  if (node.kind === 'if') return mayBeBoolean(node.yes, mask) || mayBeBoolean(node.no, mask);
  if (node.kind === 'binary' && !comparisons.has(node.op)) return false;
  return !otherKinds.has(node.kind) && (mask & T.Boolean) !== 0;
}

const scalarKinds = new Set<Node['kind']>([
  'null',
  'boolean',
  'number',
  'string',
  'template',
  'temporal',
  'regex',
  'array',
  'lambda',
  'and',
  'or',
  'not',
  'is',
  'exists',
]);

/** Whether the value may be an object. */
export function mayBeObject(node: Node, mask: number): boolean {
  if (node.kind === 'group') return mayBeObject(node.inner, mask);
  if (node.kind === 'do') return mayBeObject(node.body, mask);
  if (node.kind === 'if') return mayBeObject(node.yes, mask) || mayBeObject(node.no, mask);
  return !scalarKinds.has(node.kind) && (mask & T.Object) !== 0;
}

/** Whether a value of these types has no text form. */
export function neverText(mask: number): boolean {
  return (mask & (simple | T.Binary)) === 0;
}

/** Possible result types of an operator for these operand types. */
export function operatorMask(op: string, left: number, right: number): number {
  if (isComparison(op)) return T.Boolean;
  const collection = left === T.Array || left === T.Object;
  // Nor is anything certain about a collection with elements of unknown type.
  if (collection && (right & T.Any) === T.Any) return T.Any;
  if (op === '*' || op === '/') return ((left | right) & T.Any) === T.Any ? T.Any : T.Number;
  if (op === '+' || op === '-') {
    if (left === T.Array) return T.Array;
    return ((left | right) & ~(T.Number | T.String | T.Boolean)) === 0 ? T.Number : T.Any;
  }
  if (op === '<<') return (left & T.Any) === T.Any ? T.Any : T.Array;
  if (op === '++' || op === '--') {
    if (collection) return left;
    return op === '++' && left === T.String && (right & T.Any) !== T.Any ? T.String : T.Any;
  }
  return T.Any;
}

/** Whether values of these types have no fields or items. */
export function neverSelectable(mask: number): boolean {
  return (mask & ~(T.Boolean | T.TimeZone | T.Regex | T.Function | T.Type)) === 0;
}

/** Whether values of these types cannot be field names. */
export function neverKey(mask: number): boolean {
  return (mask & (textual | T.Number | T.Boolean)) === 0;
}

/** Whether an array literal definitely has elements that the function rejects. */
export function wrongElements(fn: LibraryFunction, elements: number): boolean {
  const { elements: allowed } = fn.facts;
  return allowed !== undefined && elements !== T.Any && (elements & ~allowed) !== 0;
}
