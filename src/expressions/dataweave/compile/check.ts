import type { Node } from '../parse/ast.js';
import { type LibraryFunction, suits } from '../runtime/dispatch.js';
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

/** The types from which a value is converted without being asked. */
const sources: ReadonlyMap<number, number> = new Map<number, number>([
  [T.String, simple | T.Binary],
  [T.Key, simple],
  [T.Number, textual | T.Period | T.DateTime | T.Binary],
  [T.Boolean, textual],
  [T.Regex, textual],
  [T.Binary, T.String],
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

/** Whether some signature could take values of these types. */
export function possible(fn: LibraryFunction, masks: readonly number[]): boolean {
  if (masks.some((mask) => (mask & T.Any) === T.Any)) return true;
  return fn.overloads.some(
    (it) =>
      masks.length >= it.min &&
      masks.length <= it.types.length &&
      masks.every((mask, i) => convertible(mask, it.types[i]!)),
  );
}

/**
 * Whether some signature could take these arguments of a prefix call, in which a lambda must have as many parameters as it
 * is given arguments. `counts` has the number of parameters of each argument that is a lambda, else -1.
 */
export function suitable(fn: LibraryFunction, masks: readonly number[], counts: readonly number[]): boolean {
  return fn.overloads.some((it) =>
    masks.every(
      (mask, i) =>
        convertible(mask, it.types[i] ?? 0) && (counts[i] === -1 || suits(it.types[i] ?? 0, counts[i] ?? -1)),
    ),
  );
}

/** Whether the expression surely is not a Boolean. */
export function neverBoolean(node: Node, mask: number): boolean {
  let inner = node;
  while (inner.kind === 'group') inner = inner.inner;
  if (inner.kind === 'string') return !/^(true|false)$/i.test(inner.value);
  return (mask & (T.Boolean | textual | T.Array | T.Object)) === 0;
}

const comparisons: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', '==', '!=', '~=']);
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

/** Whether the value may be true or false itself, not merely something that converts to it. */
export function mayGiveBoolean(node: Node, mask: number): boolean {
  if (node.kind === 'group') return mayGiveBoolean(node.inner, mask);
  if (node.kind === 'do') return mayGiveBoolean(node.body, mask);
  if (node.kind === 'if') return mayGiveBoolean(node.yes, mask) || mayGiveBoolean(node.no, mask);
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
export function mayGiveObject(node: Node, mask: number): boolean {
  if (node.kind === 'group') return mayGiveObject(node.inner, mask);
  if (node.kind === 'do') return mayGiveObject(node.body, mask);
  if (node.kind === 'if') return mayGiveObject(node.yes, mask) || mayGiveObject(node.no, mask);
  return !scalarKinds.has(node.kind) && (mask & T.Object) !== 0;
}

/** Whether the expression surely has no text. */
export function neverText(mask: number): boolean {
  return (mask & (simple | T.Binary)) === 0;
}

/** The types an operator may give for operands of these types. */
export function operatorMask(op: string, left: number, right: number): number {
  if (['<', '>', '<=', '>=', '==', '!=', '~='].includes(op)) return T.Boolean;
  const collection = left === T.Array || left === T.Object;
  // Nothing is certain about a collection with parts of unknown type either.
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

/** Whether nothing can be selected from such a value. */
export function neverSelectable(mask: number): boolean {
  return (mask & ~(T.Boolean | T.TimeZone | T.Regex | T.Function | T.Type)) === 0;
}

/** Whether such a value can never be a field name. */
export function neverKey(mask: number): boolean {
  return (mask & (textual | T.Number | T.Boolean)) === 0;
}

/** Whether an array literal surely has elements the function does not take. */
export function wrongElements(fn: LibraryFunction, elements: number): boolean {
  const { elements: allowed } = fn.facts;
  return allowed !== undefined && elements !== T.Any && (elements & ~allowed) !== 0;
}
