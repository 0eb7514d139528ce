import { coerceTemporal, temporalTypes } from './dates/coerce.js';
import { formatTemporal } from './dates/format.js';
import { DateTimeValue, PeriodValue, Temporal } from './dates/values.js';
import { type Evaluation, paid } from './evaluation.js';
import { coercionFault, Fault, typeFault } from './fault.js';
import { localeNamed } from './locales.js';
import { formatNumber, parseFormatted } from './number-format.js';
import { type Num, parseNumber, toDec } from './numbers.js';
import { makeRegex } from './regex.js';
import { encodeUtf8, textOrNull } from './text.js';
import type { TypeValue } from './types.js';
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

/** The options of a conversion, read from `{format: …, unit: …}`. */
export interface Options {
  format?: string;
  unit?: string;
  roundMode?: string;
  locale?: string;
  mode?: string;
}

/** The options a conversion is given, read from an object. */
export function readOptions(value: Value): Options {
  const options: Options = {};
  if (!isObjectValue(value)) return options;
  for (const name of ['format', 'unit', 'roundMode', 'locale', 'mode'] as const) {
    const found = fieldOf(value, name);
    if (found === null) throw typeFault(`The option '${name}' must be text`);
    const text = found === undefined ? null : textOrNull(found);
    if (text !== null) options[name] = text;
  }
  return options;
}

const none: Options = {};

/** `value as Type {options}`. */
export function convert(ev: Evaluation, value: Value, type: TypeValue, options: Options): Value {
  const own = type.options === null ? options : { ...readOptions(type.options), ...options };
  if (type.target) return convert(ev, value, type.target, own);
  const { shape } = type;
  if (shape.kind === 'union') return convertToUnion(ev, value, shape.members, own);
  if (shape.kind === 'literal') {
    if (type.accepts(value)) return value;
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

/** `value` as one of the types in `mask`; left as it is if it already has one of them. */
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
      if (typeof value === 'string' || value instanceof Key) return makeRegex(paid(ev, 60, textOrNull(value)!));
      break;
    case T.Binary:
      if (typeof value === 'string') return new BinaryValue(encodeUtf8(value));
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

function nameOfMask(mask: number): string {
  return Object.entries(T).find(([, bit]) => bit === (mask & T.Any))?.[0] ?? 'the type';
}

/** The lowest byte of what stands before the point, as in the real engine. */
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
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
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
  if (value instanceof DateTimeValue) return dateTimeNumber(value, options.unit ?? 'seconds');
  if (value instanceof PeriodValue) return periodNumber(value, options.unit);
  if (value instanceof BinaryValue) return value.bytes.reduce((n, byte) => n * 256 + byte, 0);
  if (typeof value === 'string')
    throw new Fault(
      'DW_TYPE_MISMATCH',
      'Cannot coerce String to Number',
      true,
      options.format === undefined ? 'InvalidNumberException' : 'InvalidNumberFormatException',
    );
  throw coercionFault(typeName(value), 'Number');
}

function dateTimeNumber(value: DateTimeValue, unit: string): Num {
  const fraction = value.nanos % 1e9;
  if (unit === 'seconds') return value.epochSecond;
  if (unit === 'milliseconds') return value.epochSecond * 1000 + Math.floor(fraction / 1e6);
  throw new Fault('DW_FUNCTION_ERROR', "The unit must be 'milliseconds' or 'seconds'");
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
      return value.seconds * 1000 + Math.floor(value.nanos / 1e6);
    case 'seconds':
      return value.seconds;
    case 'minutes':
      return Math.trunc(value.seconds / 60);
    case 'hours':
      return Math.trunc(value.seconds / 3600);
    case 'days':
      return Math.trunc(value.seconds / 86_400);
  }
  throw new Fault('DW_FUNCTION_ERROR', 'The unit is not known');
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
