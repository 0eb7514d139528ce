import { coerceTo, convert, type Options, readOptions, tryCoerce } from '../runtime/coercion.js';
import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { chargeFor } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, noMatchingOverload, overload } from '../runtime/library-function-overloads.js';
import { type Num, simplify, toDec } from '../runtime/numbers.js';
import { toText } from '../runtime/text-encodings.js';
import { typeNamed } from '../runtime/type-values.js';
import { BinaryValue, bitsOf, isObjectValue, Key, T, type Value } from '../runtime/values.js';

const timeUnits = new Set(['seconds', 'milliseconds']);
const periodUnits = new Set([...timeUnits, 'hours', 'minutes', 'nanos']);

/** The second argument of most conversions: a unit for values that have one, or else a format. */
function optionsOf(value: Value, type: string, word: string | null): Options {
  if (word === null) return {};
  return unitsOf(value, type)?.has(word) ? { unit: word } : { format: word };
}

function unitsOf(value: Value, type: string): ReadonlySet<string> | undefined {
  const bits = bitsOf(value);
  if (type === 'DateTime') return (bits & (T.Number | T.Period | T.DateTime | T.Binary)) !== 0 ? timeUnits : undefined;
  if (type !== 'Number') return undefined;
  if (bits === T.Period) return periodUnits;
  return (bits & (T.Number | T.DateTime | T.LocalDateTime)) !== 0 ? timeUnits : undefined;
}

/** Whether a value does not fit a format, or the format is not valid. */
function isMisfit(error: unknown): boolean {
  return error instanceof Fault && (error.rescuable || error.code === 'DW_TYPE_MISMATCH');
}

function firstThatWorks(formats: Value[], attempt: (format: Value) => Value): Value {
  for (const item of formats) {
    try {
      return attempt(item);
    } catch (error) {
      if (!isMisfit(error)) throw error;
    }
  }
  throw new Fault('DW_TYPE_MISMATCH', 'No format matches', false, 'UserException');
}

/** Converts a value to a type that the conversion accepts: text if there is a format, seconds for `toDateTime`, a date-time for `toNumber`. */
function understood(ev: Evaluation, value: Value, type: string, options: Options): Value {
  if (options.format !== undefined) return coerceTo(ev, value, T.String);
  const bits = bitsOf(value);
  if (type === 'DateTime' && (bits & (T.Period | T.DateTime | T.Binary)) !== 0) return coerceTo(ev, value, T.Number);
  if (bits === T.Binary) return coerceTo(ev, value, T.String);
  if (type === 'Number' && bits === T.LocalDateTime) return coerceTo(ev, value, T.DateTime);
  if (bits !== T.Number || type !== 'Number') return value;
  const number = toDec(value as Num);
  if (tryCoerce(ev, value, T.DateTime) !== undefined)
    return simplify(number.trunc().times(options.unit === 'milliseconds' ? 1000 : 1), ev.limits.digits);
  if (options.unit === undefined) return value;
  throw new Fault('DW_TYPE_MISMATCH', 'The number is not an instant', false, 'InvalidNumberFormatException');
}

/** The value, unless it is an Array, an Object or a Function, which no conversion accepts and no `default` replaces. */
function notNested(name: string, value: Value): Value {
  if ((bitsOf(value) & (T.Array | T.Object | T.Function)) !== 0) throw noMatchingOverload(name, [value]);
  return value;
}

/** `toX(value, format, locale)`; a list of `{format: …}` is tried in order, and a locale makes text of every value. */
function conversionTo(name: string, type: string) {
  const target = typeNamed(type);
  return (ev: Evaluation, value: Value, format: Value = null, locale?: Value): Value => {
    const plain = value instanceof Key ? value.name : value;
    notNested(name, plain);
    if (Array.isArray(format))
      return firstThatWorks(format.filter(isObjectValue), (it) =>
        convert(ev, coerceTo(ev, plain, T.String), target, readOptions(it)),
      );
    const word = format === null ? null : toText(format);
    if (locale !== undefined) {
      const options: Options = word === null ? {} : { format: word };
      if (typeof locale === 'string') options.locale = locale;
      return convert(ev, coerceTo(ev, plain, T.String), target, options);
    }
    const seconds = value instanceof Key && type === 'DateTime' ? tryCoerce(ev, plain, T.Number) : undefined;
    const given = seconds ?? plain;
    const options = optionsOf(given, type, word);
    return convert(ev, understood(ev, options.format === undefined ? given : plain, type, options), target, options);
  };
}

/** Defines `toX` and `toXOrNull`. */
function conversion(name: string, type: string): FunctionDefinition[] {
  const run = conversionTo(name, type);
  const orNull = (ev: Evaluation, value: Value, formats: Value): Value => {
    try {
      return run(ev, value, formats);
    } catch (error) {
      if (!isMisfit(error)) throw error;
      return null;
    }
  };
  return [
    [name, overload([T.Any, T.Any, T.Any], run, 1)],
    [`${name}OrNull`, overload([T.Any, T.Array], orNull)],
  ];
}

const formatted = T.Number | T.Binary | T.Date | T.DateTime | T.LocalDateTime | T.LocalTime | T.Time;
const numeric = T.Key | T.Period | T.Binary;

/** Like the reference engine, understands text as bytes in an encoding, a date, a time or a number before taking it as it is. */
function toTextWith(ev: Evaluation, value: Value, format?: Value, locale?: Value, roundMode?: Value): Value {
  if (Array.isArray(value) && format === undefined) return value.map(toText).join('');
  const given = format === undefined ? [value] : [value, format];
  const isFormat = format === undefined || format === null || typeof format === 'string';
  if ((bitsOf(value) & (T.Array | T.Object | T.Function)) !== 0 || !isFormat)
    throw noMatchingOverload('toString', given);
  if (typeof value === 'string' && typeof format === 'string' && locale === undefined)
    return convert(ev, coerceTo(ev, value, T.Binary), typeNamed('String'), { encoding: format });
  if (typeof value === 'string') {
    const types = roundMode === undefined ? [T.Date, T.LocalTime, T.Number] : [T.Number];
    for (const type of types) {
      const found = tryCoerce(ev, value, type);
      if (found !== undefined) return toTextWith(ev, found, format, locale, roundMode);
    }
    if (format === undefined) return value;
    throw noMatchingOverload('toString', given);
  }
  const isBytes = value instanceof BinaryValue && (typeof format !== 'string' || locale !== undefined);
  if (isBytes || (format !== undefined && (bitsOf(value) & formatted) === 0)) {
    const number = (bitsOf(value) & numeric) !== 0 ? tryCoerce(ev, value, T.Number) : undefined;
    if (number === undefined) throw noMatchingOverload('toString', given);
    return toTextWith(ev, number, format, locale, roundMode);
  }
  const options: Options = {};
  if (typeof format === 'string') options[value instanceof BinaryValue ? 'encoding' : 'format'] = format;
  if (typeof roundMode === 'string') options.roundMode = roundMode;
  if (typeof locale === 'string') options.locale = locale;
  return convert(ev, value, typeNamed('String'), options);
}

function toUri(_ev: Evaluation, text: string): Value {
  if (/[^\w\-.~:/?#[\]@!$&'()*+,;=%\u0080-\uffff]/.test(text))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not a valid URL');
  return text;
}

/** Functions of dw::util::Coercions. */
export const coercionFunctions: readonly FunctionDefinition[] = [
  ...conversion('toDate', 'Date'),
  ...conversion('toDateTime', 'DateTime'),
  ...conversion('toLocalDateTime', 'LocalDateTime'),
  ...conversion('toLocalTime', 'LocalTime'),
  ...conversion('toTime', 'Time'),
  ...conversion('toNumber', 'Number'),
  ['toTimeZone', overload([T.Any], conversionTo('toTimeZone', 'TimeZone'))],
  ['toPeriod', overload([T.Any], conversionTo('toPeriod', 'Period'))],
  [
    'toBoolean',
    overload([T.Any], (ev: Evaluation, value: Value) => coerceTo(ev, notNested('toBoolean', value), T.Boolean)),
  ],
  ['toRegex', overload([T.String], (ev: Evaluation, value: Value) => coerceTo(ev, value, T.Regex))],
  ['toArray', overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length, text.split('')))],
  [
    'toBinary',
    overload([T.Any, T.String], (ev: Evaluation, value: Value, encoding: string) => {
      const scalar = notNested('toBinary', value);
      return coerceTo(ev, (bitsOf(scalar) & (T.Number | T.Key)) !== 0 ? toText(scalar) : scalar, T.Binary, {
        encoding,
      });
    }),
  ],
  ['toUri', overload([T.String], toUri)],
  ['toString', overload([T.Any, T.Any, T.Any, T.Any], toTextWith, 1)],
];
