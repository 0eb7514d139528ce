import { Decimal } from 'decimal.js';
import type { JsonObject } from '../../../json/value.js';
import type { Evaluation } from './evaluation.js';

/** Types as bits, so that a signature is one number and matching it is one operation. */
export const T = {
  Null: 1,
  Boolean: 2,
  Number: 4,
  String: 8,
  Array: 16,
  Object: 32,
  Function: 64,
  Date: 128,
  Time: 256,
  LocalTime: 512,
  LocalDateTime: 1024,
  DateTime: 2048,
  TimeZone: 4096,
  Period: 8192,
  Regex: 16384,
  Key: 32768,
  Type: 65536,
  Binary: 131072,
  Range: 262144,
  Any: 524287,
} as const;

/** A value that is not plain JSON; knows its type. */
export abstract class Tagged {
  abstract readonly bits: number;
}

/** Exact numbers beyond safe integers. Held privately by the modules that compute; never configured from outside. */
export const Dec = Decimal.clone({ precision: 1200, toExpNeg: -9e15, toExpPos: 9e15, defaults: true });
export type Dec = Decimal;

/** Whatever an expression can compute. JSON from outside is used as it is; what an expression builds may be richer. */
export type Value = null | boolean | number | string | Decimal | Value[] | JsonObject | Tagged;

/** An ordered multimap: keys may repeat, and the first one wins a lookup. */
export class DwObject extends Tagged {
  readonly bits = T.Object;
  private index: Map<string, number> | null = null;

  constructor(
    readonly keys: string[] = [],
    readonly values: Value[] = [],
  ) {
    super();
  }

  get size(): number {
    return this.keys.length;
  }

  add(key: string, value: Value): void {
    this.keys.push(key);
    this.values.push(value);
    this.index = null;
  }

  /** The position of the first entry with this key, or -1. */
  find(key: string): number {
    if (this.keys.length < 12) return this.keys.indexOf(key);
    if (!this.index) {
      this.index = new Map();
      for (let i = this.keys.length - 1; i >= 0; i--) this.index.set(this.keys[i]!, i);
    }
    return this.index.get(key) ?? -1;
  }
}

/** What `keysOf` and the key parameter of object functions give: text that is not equal to a String. */
export class Key extends Tagged {
  readonly bits = T.Key;
  constructor(
    readonly name: string,
    readonly attributes: DwObject | null = null,
  ) {
    super();
  }
}

/**
 * A value with its annotations: the attributes of its key, or the options it was converted with. Made only by
 * expressions that have attributes or ask for metadata; it has no type of its own, and most readers see through it.
 */
export class Annotated extends Tagged {
  readonly bits = 0;
  constructor(
    readonly inner: Value,
    readonly attributes: DwObject | null,
    readonly schema: DwObject | null,
  ) {
    super();
  }
}

/** The value itself, without its annotations. */
export function bare(value: Value): Value {
  return value instanceof Annotated ? value.inner : value;
}

/** A pattern, compiled once, when it is read. */
export class RegexValue extends Tagged {
  readonly bits = T.Regex;
  constructor(
    readonly source: string,
    readonly program: import('re2js').RE2JS,
  ) {
    super();
  }
}

/** Bytes, which are UTF-8 where they are read or written as text. */
export class BinaryValue extends Tagged {
  readonly bits = T.Binary;
  constructor(readonly bytes: Uint8Array) {
    super();
  }
}

/** What `a to b` gives: an array whose type is called Range. */
export class RangeArray extends Array<Value> {}

/** A range with more items than an array may have: it has a size and positions, but is never built. */
export class WideRange extends Tagged {
  readonly bits = T.Range;
  constructor(
    readonly from: number | Decimal,
    readonly to: number | Decimal,
    readonly size: Decimal,
  ) {
    super();
  }
}

/** A function value. `call` takes up to three arguments, as all library callbacks do; `apply` takes any number. */
export abstract class FunctionValue extends Tagged {
  readonly bits = T.Function;
  abstract readonly name: string;
  /** How many arguments it needs, and the most it takes. */
  abstract readonly required: number;
  abstract readonly accepted: number;
  abstract call(ev: Evaluation, a: Value, b: Value, c: Value): Value;
  abstract apply(ev: Evaluation, args: Value[]): Value;
}

/** Whether a value is a number kept as a decimal. */
export function isDec(value: Value): value is Decimal {
  return value instanceof Dec;
}

/** The type of a value, as a bit. */
export function bitsOf(value: Value): number {
  switch (typeof value) {
    case 'number':
      return T.Number;
    case 'string':
      return T.String;
    case 'boolean':
      return T.Boolean;
  }
  if (value === null || value === undefined) return T.Null;
  if (Array.isArray(value)) return T.Array;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return T.Object;
  if (value instanceof Tagged) return value.bits;
  return value instanceof Dec ? T.Number : T.Object;
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(T).map(([name, bit]) => [bit, name]));

/** The name of a value's type, as `typeOf` prints it. */
export function typeName(value: Value): string {
  if (value instanceof RangeArray) return 'Range';
  return names.get(bitsOf(value)) ?? 'Any';
}

/** Whether a value is an object, from outside or built by the expression. */
export function isObjectValue(value: Value): value is DwObject | JsonObject {
  return typeof value === 'object' && value !== null && bitsOf(value) === T.Object;
}

/** The first value under `key`, or undefined. */
export function fieldOf(object: DwObject | JsonObject, key: string): Value | undefined {
  if (object instanceof DwObject) {
    const at = object.find(key);
    return at === -1 ? undefined : object.values[at];
  }
  return Object.hasOwn(object, key) ? (object[key] as Value) : undefined;
}

/** The keys in order, with repetitions. */
export function keyList(object: DwObject | JsonObject): readonly string[] {
  return object instanceof DwObject ? object.keys : Object.keys(object);
}

/** The values in order. */
export function valueList(object: DwObject | JsonObject): readonly Value[] {
  return object instanceof DwObject ? object.values : (Object.values(object) as Value[]);
}
