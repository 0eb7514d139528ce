import { coerceTemporal, temporalTypes } from './dates/date-coercion.js';
import { DateTimeValue, PeriodValue, Temporal } from './dates/date-values.js';
import { formatTemporal } from './dates/format-with-pattern.js';
import { coercionFault, Fault, typeFault } from './evaluation-fault.js';
import { chargeFor, type Evaluation } from './evaluation-state.js';
import { localeNamed } from './locales.js';
import { formatNumber, parseFormatted } from './number-format.js';
import { type Num, parseNumber, simplify, toDec } from './numbers.js';
import { makeRegex } from './regex.js';
import {
  declaredAs,
  decodedWith,
  encodedWith,
  fromBase64,
  fromHex,
  textOrNull,
  toBase64,
  toHex,
} from './text-encodings.js';
import type { TypeValue } from './type-values.js';
import {
  Annotated,
  BinaryValue,
  bitsOf,
  fieldOf,
  isDec,
  isObjectValue,
  Key,
  RangeArray,
  T,
  typeName,
  type Value,
} from './values.js';

/** Options of a conversion, from `{format: …, unit: …}`. */
export interface Options {
  format?: string;
  unit?: string;
  roundMode?: string;
  locale?: string;
  mode?: string;
  base?: string;
  encoding?: string;
}

/** Reads the options of a conversion from an object. */
export function readOptions(value: Value): Options {
  const options: Options = {};
  if (!isObjectValue(value)) return options;
  for (const name of ['format', 'unit', 'roundMode', 'locale', 'mode', 'base', 'encoding'] as const) {
    const found = fieldOf(value, name);
    if (found === undefined) continue;
    const text = textOrNull(found);
    if (text === null) throw typeFault(`The option '${name}' must be text`);
    options[name] = text;
  }
  return options;
}

const none: Options = {};

/** Evaluates `value as Type {options}`. */
export function convert(ev: Evaluation, value: Value, type: TypeValue, options: Options): Value {
  const own = type.options === null ? options : { ...readOptions(type.options), ...options };
  if (type.target) return convert(ev, value, type.target, own);
  const { shape } = type;
  if (shape.kind === 'union') return convertToUnion(ev, value, shape.members, own);
  if (shape.kind === 'literal') {
    const converted = tryCoerce(ev, value, type.mask);
    if (converted !== undefined && type.accepts(converted)) return converted;
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `Cannot coerce ${typeName(value)} to the literal type`,
      true,
      'UnsupportedTypeCoercionToLiteralException',
    );
  }
  if (['intersection', 'nothing', 'range', 'object'].includes(shape.kind)) {
    if (type.accepts(value)) return value;
    throw coercionFault(typeName(value), type.name);
  }
  if (value instanceof RangeArray && type.mask === T.Array) return Array.from(value);
  // The character set is that of the last conversion.
  if (value instanceof BinaryValue && (type.mask & T.Binary) !== 0)
    return declaredAs(value.bytes, own.encoding ?? 'UTF-8');
  return coerceTo(ev, value, type.mask, own);
}

function convertToUnion(ev: Evaluation, value: Value, members: TypeValue[], options: Options): Value {
  const exact = members.find((it) => it.accepts(value));
  if (exact) return value;
  for (const member of members) {
    try {
      return convert(ev, value, member, options);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'DW_TYPE_MISMATCH') throw error;
    }
  }
  throw coercionFault(typeName(value), 'any of the types');
}

/** Converts `value` to one of the types in `mask`; returns it unchanged if it already has one of them. */
export function coerceTo(ev: Evaluation, value: Value, mask: number, options: Options = none): Value {
  const bits = bitsOf(value);
  if (bits === T.Range && (mask & T.Array) !== 0 && mask !== T.Any)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `More than ${ev.limits.collectionSize} elements`);
  const plain = options === none || (options.format === undefined && options.unit === undefined);
  if ((bits & mask) !== 0 && plain) return value;
  if (value instanceof Annotated) return coerceTo(ev, value.inner, mask, options);
  switch (mask & T.Any) {
    case T.String:
      return toStringValue(value, options);
    case T.Number:
      return toNumber(ev, value, options);
    case T.Boolean:
      return toBoolean(value);
    case T.Key: {
      const text = textOrNull(value);
      if (text === null) throw coercionFault(typeName(value), 'Key');
      return new Key(text);
    }
    case T.Regex:
      if (typeof value === 'string' || value instanceof Key) return makeRegex(chargeFor(ev, 60, textOrNull(value)!));
      break;
    case T.Binary:
      if (typeof value === 'string') return chargeFor(ev, value.length, bytesOf(value, options));
      if (bits === T.Number) return numberBytes(value as Num);
      break;
  }
  if ((temporalTypes & mask) !== 0 && mask !== T.Any) {
    const found = coerceTemporal(ev, value, mask, options);
    if (found !== null) return found;
  }
  if ((bits & mask) !== 0) return value;
  throw coercionFault(typeName(value), nameOfMask(mask));
}

/** Converts `value` to the type with these bits; undefined if impossible. */
export function tryCoerce(ev: Evaluation, value: Value, mask: number): Value | undefined {
  try {
    return coerceTo(ev, value, mask);
  } catch (error) {
    if (error instanceof Fault && error.code === 'DW_TYPE_MISMATCH') return undefined;
    throw error;
  }
}

function nameOfMask(mask: number): string {
  return Object.entries(T).find(([, bit]) => bit === (mask & T.Any))?.[0] ?? 'the type';
}

/** Lowest byte of the integer part, as in the reference engine. */
function numberBytes(n: Num): BinaryValue {
  return new BinaryValue(Uint8Array.of(toDec(n).trunc().mod(256).toNumber() & 255));
}

function toStringValue(value: Value, options: Options): string {
  const { format } = options;
  if (format !== undefined) {
    const locale = localeNamed(options.locale);
    if (typeof value === 'number' || isDec(value)) return formatNumber(value, format, options.roundMode, locale);
    if (value instanceof Temporal && (value.bits & (T.Period | T.TimeZone)) === 0)
      return formatTemporal(value, format, locale);
  }
  if (value instanceof BinaryValue) return binaryText(value.bytes, options);
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
}

/** Text of bytes: in a base, or in a character set. */
function binaryText(bytes: Uint8Array, { base, encoding }: Options): string {
  if (base !== undefined) return inBase(base) === 16 ? toHex(bytes).toUpperCase() : toBase64(bytes);
  return decodedWith(bytes, encoding ?? 'UTF-8');
}

/** Bytes of text: in a base, or in a character set. */
function bytesOf(text: string, { base, encoding }: Options): BinaryValue {
  if (base !== undefined) return inBase(base) === 16 ? fromHex(text) : fromBase64(text);
  return encodedWith(text, encoding ?? 'UTF-8');
}

function inBase(base: string): 16 | 64 {
  if (base === '16') return 16;
  if (base === '64') return 64;
  throw new Fault(
    'DW_TYPE_MISMATCH',
    'The base of a Binary must be 16 or 64',
    false,
    'UnsupportedBasePropertyException',
  );
}

function toNumber(ev: Evaluation, value: Value, options: Options): Num {
  if (typeof value === 'number' || isDec(value)) return value;
  if (value instanceof Key) return toNumber(ev, value.name, options);
  if (typeof value === 'string') {
    const n =
      options.format === undefined
        ? parseNumber(value, ev.limits.digits)
        : parseFormatted(value, options.format, ev.limits.digits, localeNamed(options.locale));
    if (n !== null) return n;
  }
  if (value instanceof DateTimeValue) return dateTimeNumber(value, options.unit ?? 'seconds', ev.limits.digits);
  if (value instanceof PeriodValue) return periodNumber(value, options.unit);
  if (value instanceof BinaryValue) return value.bytes[0] ?? -1;
  if (typeof value === 'string')
    throw new Fault(
      'DW_TYPE_MISMATCH',
      'Cannot coerce String to Number',
      options.format === undefined,
      options.format === undefined ? 'InvalidNumberException' : 'InvalidNumberFormatException',
    );
  throw coercionFault(typeName(value), 'Number');
}

function dateTimeNumber(value: DateTimeValue, unit: string, digits: number): Num {
  if (unit !== 'seconds' && unit !== 'milliseconds')
    throw new Fault('DW_FUNCTION_ERROR', "The unit must be 'milliseconds' or 'seconds'");
  const second = toDec(value.day)
    .times(86_400)
    .plus(Math.floor(value.nanos / 1e9) - value.offset);
  if (unit === 'seconds') return simplify(second, digits);
  return simplify(second.times(1000).plus(Math.floor((value.nanos % 1e9) / 1e6)), digits);
}

function periodNumber(value: PeriodValue, unit: string | undefined): Num {
  if (value.seconds === null) {
    const months = value.years * 12 + value.months;
    if (unit === undefined || unit === 'months') return months;
    if (unit === 'years') return Math.trunc(months / 12);
    throw new Fault('DW_FUNCTION_ERROR', "A calendar period has only the units 'years' and 'months'");
  }
  switch (unit ?? 'seconds') {
    case 'nanos':
      return toDec(value.seconds).times(1e9).plus(value.nanos);
    case 'milliseconds':
      return value.seconds < 0 && value.nanos > 0
        ? (value.seconds + 1) * 1000 + Math.ceil((value.nanos - 1e9) / 1e6)
        : value.seconds * 1000 + Math.floor(value.nanos / 1e6);
    case 'seconds':
      return value.seconds;
    case 'minutes':
      return Math.trunc(value.seconds / 60);
    case 'hours':
      return Math.trunc(value.seconds / 3600);
    case 'days':
      return Math.trunc(value.seconds / 86_400);
  }
  throw new Fault('DW_FUNCTION_ERROR', 'Unknown unit');
}

function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : value instanceof Key ? value.name : '';
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (typeof value === 'string')
    throw new Fault('DW_TYPE_MISMATCH', 'Cannot coerce String to Boolean', true, 'InvalidBooleanException');
  throw coercionFault(typeName(value), 'Boolean');
}
