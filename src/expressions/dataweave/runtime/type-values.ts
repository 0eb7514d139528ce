import { Temporal } from './dates/date-values.js';
import { type Num, toDec } from './numbers.js';
import {
  Annotated,
  bitsOf,
  type DwObject,
  fieldOf,
  isDec,
  isObjectValue,
  isPlainArray,
  keyList,
  RangeArray,
  T,
  TaggedValue,
  type Value,
  valueList,
  WideRange,
} from './values.js';

/** A field of an object type; without a name it matches any other field. */
export interface FieldType {
  name: string | null;
  optional: boolean;
  repeated: boolean;
  type: TypeValue;
}

/** A parameter of a function type. */
export interface ParamType {
  name: string;
  optional: boolean;
  type: TypeValue;
}

/** Structure of a type. */
export type TypeShape =
  | { kind: 'simple' }
  | { kind: 'nothing' }
  | { kind: 'range' }
  | { kind: 'literal'; value: Value }
  | { kind: 'object'; fields: FieldType[]; closed: boolean }
  | { kind: 'function'; params: ParamType[]; result: TypeValue }
  | { kind: 'union' | 'intersection'; members: TypeValue[] };

/** A type as a value: tested by `is`, target of `as`, result of `typeOf`. */
export class TypeValue extends TaggedValue {
  readonly bits = T.Type;
  constructor(
    readonly name: string,
    /** Type bits of the accepted values. */
    readonly mask: number,
    readonly shape: TypeShape = { kind: 'simple' },
    readonly args: readonly TypeValue[] = [],
    /** Options such as `{format: "…"}`. */
    readonly options: Value = null,
    /** The type behind a declared name. */
    readonly target: TypeValue | null = null,
    /** Whether this is a reference to a declared name inside another type. */
    readonly reference = false,
  ) {
    super();
  }

  override toString(): string {
    return this.name;
  }

  /** Whether `value` has this type. The element type of an array is ignored, as in the reference engine. */
  accepts(value: Value): boolean {
    if (value instanceof Annotated)
      return this.saysAll(value.schema) && (this.options === null ? this : this.withoutOptions()).accepts(value.inner);
    if ((bitsOf(value) & this.mask) === 0) return false;
    if (!this.acceptsOptions(value)) return false;
    const { shape } = this;
    switch (shape.kind) {
      case 'function':
        return true;
      case 'simple':
        return this.mask !== T.Array || isPlainArray(value);
      case 'nothing':
        return false;
      case 'range':
        return value instanceof RangeArray || value instanceof WideRange;
      case 'literal':
        return sameLiteral(shape.value, value);
      case 'union':
        return shape.members.some((it) => it.accepts(value));
      case 'intersection':
        return shape.members.every((it) => it.accepts(value));
      case 'object':
        return isObjectValue(value) && this.acceptsFields(shape.fields, shape.closed, value);
    }
  }

  /** Whether the options that a value was converted with include all options of this type. */
  private saysAll(schema: DwObject | null): boolean {
    if (this.options === null || !isObjectValue(this.options)) return true;
    const values = valueList(this.options);
    return keyList(this.options).every((key, i) => {
      const said = schema ? fieldOf(schema, key) : undefined;
      return said !== undefined && sameLiteral(said, values[i]!);
    });
  }

  private withoutOptions(): TypeValue {
    return new TypeValue(this.name, this.mask, this.shape, this.args, null, this.target, this.reference);
  }

  private acceptsOptions(value: Value): boolean {
    if (this.options === null || !isObjectValue(this.options)) return true;
    const keys = keyList(this.options);
    if (keys.length === 0) return true;
    return (
      keys.every((key) => key === 'format') &&
      value instanceof Temporal &&
      value.format === fieldOf(this.options, 'format')
    );
  }

  private acceptsFields(fields: FieldType[], closed: boolean, value: Parameters<typeof keyList>[0]): boolean {
    const keys = keyList(value);
    const values = valueList(value);
    const named = new Set(fields.map((it) => it.name));
    for (const field of fields) {
      let count = 0;
      for (const [i, key] of keys.entries()) {
        if (field.name === null ? named.has(key) : field.name !== key) continue;
        if (!field.type.accepts(values[i]!)) return false;
        count++;
      }
      if (count === 0 ? !field.optional : count > 1 && !field.repeated && field.name !== null) return false;
    }
    return !closed || named.has(null) || keys.every((key) => named.has(key));
  }
}

/** Whether a value equals a literal type: text, number or Boolean. */
function sameLiteral(literal: Value, value: Value): boolean {
  return literal === value || ((isDec(literal) || isDec(value)) && toDec(literal as Num).eq(value as Num));
}

function simple(name: string, mask: number): [string, TypeValue] {
  return [name, new TypeValue(name, mask)];
}

const anything = new TypeValue('Any', T.Any);

function objectOf(name: string, fields: [name: string | null, type: TypeValue | undefined][]): TypeValue {
  return new TypeValue(name, T.Object, {
    kind: 'object',
    fields: fields.map(([field, type]) => ({
      name: field,
      optional: field === null,
      repeated: field === null,
      type: type ?? anything,
    })),
    closed: false,
  });
}

function pair([left, right]: readonly TypeValue[]): TypeValue {
  return objectOf('Pair', [
    ['l', left],
    ['r', right],
  ]);
}

function dictionary([item]: readonly TypeValue[]): TypeValue {
  return objectOf('Dictionary', [[null, item]]);
}

/** Built-in types with type arguments. */
export const genericTypes: ReadonlyMap<string, (args: readonly TypeValue[]) => TypeValue> = new Map([
  ['Pair', pair],
  ['Dictionary', dictionary],
]);

/** Built-in types. */
export const builtinTypes: ReadonlyMap<string, TypeValue> = new Map([
  ...Object.entries(T)
    .filter(([name]) => name !== 'Function')
    .map(([name, mask]) => simple(name, mask)),
  ['Nothing', new TypeValue('Nothing', T.Any, { kind: 'nothing' })],
  ['Range', new TypeValue('Range', T.Array | T.Range, { kind: 'range' })],
  simple('Uri', T.String),
  simple('CData', T.String),
  simple('Namespace', 0),
  simple('Enum', T.String),
  simple(
    'SimpleType',
    T.String |
      T.Number |
      T.Boolean |
      T.Date |
      T.Time |
      T.LocalTime |
      T.LocalDateTime |
      T.DateTime |
      T.TimeZone |
      T.Period,
  ),
  simple(
    'Comparable',
    T.String | T.Number | T.Boolean | T.Date | T.Time | T.LocalTime | T.LocalDateTime | T.DateTime | T.TimeZone,
  ),
  ['Dictionary', dictionary([])],
  ['Pair', pair([])],
  simple('Iterator', T.Array),
]);

const functionType = new TypeValue('Function', T.Function);

/** The built-in type with this name; for any other name the type of functions. */
export function typeNamed(name: string): TypeValue {
  return builtinTypes.get(name) ?? functionType;
}
