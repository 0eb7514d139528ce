import { coerceTo, convert, type Options, readOptions } from '../runtime/coerce.js';
import { PeriodValue } from '../runtime/dates/values.js';
import { type Definition, mismatch, overload } from '../runtime/dispatch.js';
import { tryCoerce } from '../runtime/equality.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { paid } from '../runtime/evaluation.js';
import { coercionFault, Fault } from '../runtime/fault.js';
import { toText } from '../runtime/text.js';
import { typeNamed } from '../runtime/types.js';
import { bitsOf, isObjectValue, T, type Value } from '../runtime/values.js';

const units = new Set(['hours', 'minutes', 'seconds', 'milliseconds', 'nanos', 'days', 'months', 'years']);

/** The second argument of most conversions: a unit or a format, or nothing. */
function optionsOf(text: Value | undefined): Options {
  if (text === undefined || text === null) return {};
  const word = toText(text);
  return units.has(word) ? { unit: word } : { format: word };
}

function firstThatWorks(formats: Value[], attempt: (format: Value) => Value): Value {
  for (const item of formats) {
    try {
      return attempt(item);
    } catch (error) {
      if (!(error instanceof Fault) || !error.rescuable) throw error;
    }
  }
  throw new Fault('DW_TYPE_MISMATCH', 'No format fits', true, 'UnsupportedTypeCoercionException');
}

/**
 * No conversion takes a number as it is: with a format it is text, and `toNumber` takes it as a moment in seconds where it
 * can be one.
 */
function understood(ev: Evaluation, value: Value, type: string, options: Options): Value {
  if (type === 'DateTime' && bitsOf(value) === T.Period) return coerceTo(ev, value, T.Number);
  if (type === 'Number' && value instanceof PeriodValue && !value.exact && options.unit !== undefined)
    throw coercionFault('Period', 'Number');
  if (bitsOf(value) !== T.Number) return value;
  if (options.format !== undefined) return toText(value);
  return type === 'Number' ? (tryCoerce(ev, value, T.DateTime) ?? value) : value;
}

/** `toX(value, format)` and `toXOrNull`; a list of `{format: …}` is tried in order. */
function conversion(name: string, type: string): Definition[] {
  const target = typeNamed(type);
  const run1 = (ev: Evaluation, given: Value, format?: Value, locale?: Value): Value => {
    if ((bitsOf(given) & (T.Array | T.Object | T.Function)) !== 0) throw mismatch(name, [given]);
    if (Array.isArray(format))
      return firstThatWorks(format, (it) =>
        convert(ev, given, target, isObjectValue(it) ? readOptions(it) : optionsOf(it)),
      );
    const options = optionsOf(format);
    if (typeof locale === 'string') options.locale = locale;
    return convert(ev, understood(ev, given, type, options), target, options);
  };
  const orNull = (ev: Evaluation, value: Value, format?: Value): Value => {
    try {
      return run1(ev, value, format);
    } catch (error) {
      if (error instanceof Fault && error.code === 'DW_TYPE_MISMATCH') return null;
      throw error;
    }
  };
  return [
    [name, overload([T.Any, T.Any, T.Any], run1, 1)],
    [`${name}OrNull`, overload([T.Any, T.Array], orNull)],
  ];
}

function toTextWith(ev: Evaluation, value: Value, format?: Value, locale?: Value, roundMode?: Value): Value {
  if (Array.isArray(value)) return value.map(toText).join('');
  const date = typeof value === 'string' && format === undefined ? tryCoerce(ev, value, T.Date) : undefined;
  if (date !== undefined) return toText(date);
  const options = typeof format === 'string' && !/^UTF|^ISO-8859|^ASCII/i.test(format) ? optionsOf(format) : {};
  if (typeof roundMode === 'string') options.roundMode = roundMode;
  if (typeof locale === 'string') options.locale = locale;
  return convert(ev, value, typeNamed('String'), options);
}

function toUri(_ev: Evaluation, text: string): Value {
  if (/[^\w\-.~:/?#[\]@!$&'()*+,;=%\u0080-\uffff]/.test(text))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is no address');
  return text;
}

/** dw::util::Coercions. */
export const coercionFunctions: readonly Definition[] = [
  ...conversion('toDate', 'Date'),
  ...conversion('toDateTime', 'DateTime'),
  ...conversion('toLocalDateTime', 'LocalDateTime'),
  ...conversion('toLocalTime', 'LocalTime'),
  ...conversion('toTime', 'Time'),
  ...conversion('toNumber', 'Number'),
  ...conversion('toTimeZone', 'TimeZone'),
  ...conversion('toPeriod', 'Period'),
  ['toBoolean', overload([T.Any], (ev: Evaluation, value: Value) => coerceTo(ev, value, T.Boolean))],
  ['toRegex', overload([T.String], (ev: Evaluation, value: Value) => coerceTo(ev, value, T.Regex))],
  ['toArray', overload([T.String], (ev: Evaluation, text: string) => paid(ev, text.length, text.split('')))],
  [
    'toBinary',
    overload([T.Any, T.String], (ev: Evaluation, value: Value) =>
      coerceTo(ev, bitsOf(value) === T.Number ? toText(value) : value, T.Binary),
    ),
  ],
  ['toUri', overload([T.String], toUri)],
  ['toString', overload([T.Any, T.Any, T.Any, T.Any], toTextWith, 1)],
];
