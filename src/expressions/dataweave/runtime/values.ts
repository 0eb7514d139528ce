import { Decimal } from 'decimal.js';
import type { JsonObject } from '../../../base/json/value.js';
import type { Evaluation } from './evaluation-state.js';

/** Types as bits, so that a signature is a single number and matching it a single operation. */
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

/** A value that is not plain JSON, with its type. */
export abstract class TaggedValue {
  abstract readonly bits: number;
}

/** Exact numbers beyond safe integers. Private to this engine and never configured from outside. */
export const Dec = Decimal.clone({ precision: 1200, toExpNeg: -9e15, toExpPos: 9e15, defaults: true });
export type Dec = Decimal;

/** A value of an expression. JSON input is used as is; computed values may be richer. */
export type Value = null | boolean | number | string | Decimal | Value[] | JsonObject | TaggedValue;

/** An ordered multimap: keys may repeat, and a lookup returns the first. */
export class DwObject extends TaggedValue {
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

/** Result of `settingsOf` and key argument of object functions: text that does not equal a String. */
export class Key extends TaggedValue {
  readonly bits = T.Key;
  constructor(
    readonly name: string,
    readonly attributes: DwObject | null = null,
  ) {
    super();
  }
}

/**
 * A value with annotations: the attributes of its key, or the options it was converted with. Created only by expressions that use
 * attributes or metadata. It has no type of its own, and most readers ignore it.
 */
export class Annotated extends TaggedValue {
  readonly bits = 0;
  constructor(
    readonly inner: Value,
    readonly attributes: DwObject | null,
    readonly schema: DwObject | null,
  ) {
    super();
  }
}

/** The value without its annotations. */
export function withoutAnnotations(value: Value): Value {
  return value instanceof Annotated ? value.inner : value;
}

/** A regular expression, compiled once when it is read. */
export class RegexValue extends TaggedValue {
  readonly bits = T.Regex;
  constructor(
    readonly source: string,
    readonly program: import('re2js').RE2JS,
  ) {
    super();
  }
}

/** Bytes, which are UTF-8 when read as text. JSON output decodes them in the character set they were encoded in. */
export class BinaryValue extends TaggedValue {
  readonly bits = T.Binary;
  constructor(
    readonly bytes: Uint8Array,
    readonly charset = 'UTF-8',
  ) {
    super();
  }
}

/** Result of `a to b`: an array whose type is Range. Whatever is derived from it (`slice`, `filter`, `map`) is an ordinary array. */
export class RangeArray extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** Whether a value is an array of the type Array, which a range is not. */
export function isPlainArray(value: Value): value is Value[] {
  return Array.isArray(value) && !(value instanceof RangeArray);
}

/** A range with more items than an array may have: it has a size and positions, but is never built. */
export class WideRange extends TaggedValue {
  readonly bits = T.Range;
  constructor(
    readonly from: number | Decimal,
    readonly to: number | Decimal,
    readonly size: Decimal,
  ) {
    super();
  }
}

/** A function value. `call` passes up to three arguments, as library callbacks do; `apply` passes any number. */
export abstract class FunctionValue extends TaggedValue {
  readonly bits = T.Function;
  abstract readonly name: string;
  /** Number of required arguments, and the maximum. */
  abstract readonly required: number;
  abstract readonly accepted: number;
  abstract call(ev: Evaluation, a: Value, b: Value, c: Value): Value;
  abstract apply(ev: Evaluation, args: Value[]): Value;
}

/** Whether a value is a decimal. */
export function isDec(value: Value): value is Decimal {
  return value instanceof Dec;
}

/** Type bit of a value. */
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
  if (value instanceof TaggedValue) return value.bits;
  return value instanceof Dec ? T.Number : T.Object;
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(T).map(([name, bit]) => [bit, name]));

/** Type name of a value, as `typeOf` prints it. */
export function typeName(value: Value): string {
  if (value instanceof RangeArray) return 'Range';
  return names.get(bitsOf(value)) ?? 'Any';
}

/** Whether a value is an object, from input or computed. */
export function isObjectValue(value: Value): value is DwObject | JsonObject {
  return typeof value === 'object' && value !== null && bitsOf(value) === T.Object;
}

/** First value with `key`, or undefined. */
export function fieldOf(object: DwObject | JsonObject, key: string): Value | undefined {
  if (object instanceof DwObject) {
    const at = object.find(key);
    return at === -1 ? undefined : object.values[at];
  }
  return Object.hasOwn(object, key) ? (object[key] as Value) : undefined;
}

/** Keys in order, with repetitions. */
export function keyList(object: DwObject | JsonObject): readonly string[] {
  return object instanceof DwObject ? object.keys : Object.keys(object);
}

/** Values in order. */
export function valueList(object: DwObject | JsonObject): readonly Value[] {
  return object instanceof DwObject ? object.values : (Object.values(object) as Value[]);
}
