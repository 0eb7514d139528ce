import { coerceTo } from '../runtime/coercion.js';
import { civilFromDays, isLeap } from '../runtime/dates/calendar-days.js';
import { difference } from '../runtime/dates/date-arithmetic.js';
import type { DateTimeValue, DateValue, LocalDateTimeValue, Temporal } from '../runtime/dates/date-values.js';
import { inZone } from '../runtime/dates/zone-offsets.js';
import { Fault, typeFault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, functionType, overload } from '../runtime/library-function-overloads.js';
import {
  add,
  compareNumbers,
  divide,
  fromDouble,
  multiply,
  type Num,
  negate,
  remainder,
  simplify,
  toDec,
} from '../runtime/numbers.js';
import { operators } from '../runtime/operators.js';
import { decodeUtf8 } from '../runtime/text-encodings.js';
import { builtinTypes, TypeValue } from '../runtime/type-values.js';
import {
  BinaryValue,
  Dec,
  type FunctionValue,
  isObjectValue,
  Key,
  keyList,
  RangeArray,
  T,
  typeName,
  type Value,
  WideRange,
} from '../runtime/values.js';
import { absent, indexesOf, nullSafe, type Obj } from './core-collections.js';
import { readFormat, writeFormat } from './read-and-write.js';

function integerResult(ev: Evaluation, n: Num, round: 'floor' | 'ceil' | 'round'): Num {
  if (typeof n === 'number' && Number.isSafeInteger(n)) return n;
  const d = toDec(n);
  const out = round === 'floor' ? d.floor() : round === 'ceil' ? d.ceil() : d.toDecimalPlaces(0, Dec.ROUND_HALF_UP);
  return simplify(out, ev.limits.digits);
}

const Precise = Dec.clone({ precision: 40, defaults: true });

/** Correctly rounded power of doubles. The host's own is sometimes off by one digit. */
function preciselyRaised(base: number, exponent: number): number {
  const rough = base ** exponent;
  if (!Number.isFinite(rough) || rough === 0 || base <= 0 || Math.abs(base) > 1e300) return rough;
  return new Precise(base.toPrecision(60)).pow(new Precise(exponent.toPrecision(60))).toNumber();
}

function power(ev: Evaluation, base: Num, exponent: Num): Num {
  const [b, e] = [toDec(base), toDec(exponent)];
  if (e.isInteger() && (e.isNegative() || e.gt(99_999_999)))
    throw new Fault('DW_FUNCTION_ERROR', 'The exponent is out of range', false, 'NegativeExponentException');
  if (!e.isInteger()) {
    const whole = e.trunc();
    ev.charge(100);
    const part = preciselyRaised(b.toNumber(), e.minus(whole).toNumber());
    if (!Number.isFinite(part) || e.isNegative()) throw new Fault('DW_FUNCTION_ERROR', 'The power is not a number');
    return multiply(ev, power(ev, base, simplify(whole, ev.limits.digits)), fromDouble(part));
  }
  const size = Math.max(1, b.precision()) * e.toNumber();
  if (size > ev.limits.digits * 4 && !b.isZero() && !b.abs().eq(1))
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The number has more than ${ev.limits.digits} digits`);
  ev.charge(8 + (Math.min(size, 4000) >> 2));
  if (b.isZero()) return e.isZero() ? 1 : 0;
  if (b.abs().eq(1)) return b.isNegative() && e.mod(2).eq(1) ? -1 : 1;
  return simplify(exactPower(b, e.toNumber()), ev.limits.digits);
}

function exactPower(base: InstanceType<typeof Dec>, exponent: number): InstanceType<typeof Dec> {
  let result = new Dec(1);
  let square = base;
  for (let n = exponent; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) result = result.times(square);
    if (n > 1) square = square.times(square);
  }
  return result;
}

/** Adds the items with `+`, whose failures `default` does not rescue, and converts only the total. */
function sum(ev: Evaluation, items: Value[]): Num {
  ev.charge(items.length);
  if (items.length === 0) return 0;
  let total: Value = items[0]!;
  for (let i = 1; i < items.length; i++) total = operators['+'](ev, items[i]!, total);
  return coerceTo(ev, total, T.Number) as Num;
}

function range(ev: Evaluation, from: Num, to: Num): Value {
  const size = toDec(to).minus(toDec(from)).abs().floor().plus(1);
  if (size.gt(ev.limits.collectionSize)) return new WideRange(from, to, size);
  const steps = size.toNumber();
  ev.chargeCollection(steps);
  const out = new RangeArray();
  const up = compareNumbers(from, to) <= 0 ? 1 : -1;
  for (let i = 0; i < steps; i++) out.push(add(ev, from, i * up));
  return out;
}

/** Time of the evaluation, in its time zone. */
export function currentTime(ev: Evaluation): DateTimeValue {
  const seconds = Math.floor(ev.env.now / 1000);
  return inZone(seconds, (ev.env.now - seconds * 1000) * 1e6, ev.zone());
}

function isEmpty(value: Value): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof BinaryValue) return value.bytes.length === 0;
  if (value instanceof Key) return value.name === '';
  return isObjectValue(value) && keyList(value).length === 0;
}

function typeOf(value: Value): Value {
  const name = typeName(value);
  return builtinTypes.get(name) ?? new TypeValue(name, T.Any);
}

function toDays(value: Temporal): number {
  return (value as DateValue | LocalDateTimeValue | DateTimeValue).day;
}

function daysBetween(_ev: Evaluation, a: Temporal, b: Temporal): Value {
  const seconds = difference(b, a).seconds ?? 0;
  return Math.trunc(seconds / 86_400);
}

const number1 = [T.Number];

/** Functions of dw::Core for numbers, dates and values of any type. */
export const generalFunctions: readonly FunctionDefinition[] = [
  ['abs', { gives: T.Number }, overload(number1, (_ev: Evaluation, n: Num) => (toDec(n).isNegative() ? negate(n) : n))],
  [
    'avg',
    { gives: T.Number, elements: T.Number },
    overload([T.Array], (ev: Evaluation, items: Value[]) => divide(ev, sum(ev, items), items.length)),
  ],
  ['ceil', { gives: T.Number }, overload(number1, (ev: Evaluation, n: Num) => integerResult(ev, n, 'ceil'))],
  ['floor', { gives: T.Number }, overload(number1, (ev: Evaluation, n: Num) => integerResult(ev, n, 'floor'))],
  ['round', { gives: T.Number }, overload(number1, (ev: Evaluation, n: Num) => integerResult(ev, n, 'round'))],
  ['mod', { gives: T.Number }, overload([T.Number, T.Number], remainder)],
  ['pow', { gives: T.Number }, overload([T.Number, T.Number], power)],
  ['sqrt', overload(number1, (_ev: Evaluation, n: Num) => fromDouble(Math.sqrt(toDec(n).toNumber())))],
  ['sum', { gives: T.Number, elements: T.Number }, overload([T.Array], sum)],
  ['isEven', { gives: T.Boolean }, overload(number1, (_ev: Evaluation, n: Num) => toDec(n).mod(2).isZero())],
  ['isOdd', { gives: T.Boolean }, overload(number1, (_ev: Evaluation, n: Num) => !toDec(n).mod(2).isZero())],
  ['isInteger', { gives: T.Boolean }, overload(number1, (_ev: Evaluation, n: Num) => toDec(n).isInteger())],
  ['isDecimal', { gives: T.Boolean }, overload(number1, (_ev: Evaluation, n: Num) => !toDec(n).isInteger())],
  ['to', { gives: T.Array }, overload([T.Number, T.Number], range)],
  ['random', overload([], (ev: Evaluation) => fromDouble(ev.env.random()))],
  ['randomInt', overload(number1, (ev: Evaluation, n: Num) => Math.floor(ev.env.random() * toDec(n).toNumber()))],
  ['uuid', overload([], (ev: Evaluation) => ev.env.uuid())],
  ['now', { gives: T.DateTime }, overload([], currentTime)],
  ['isEmpty', { gives: T.Boolean }, overload([T.Any], (_ev: Evaluation, value: Value) => isEmpty(value))],
  ['typeOf', overload([T.Any], (_ev: Evaluation, value: Value) => typeOf(value))],
  [
    'sizeOf',
    { gives: T.Number },
    overload([T.Array], (_ev: Evaluation, items: Value[]) => items.length),
    overload([T.Range], (ev: Evaluation, range: WideRange) => simplify(range.size, ev.limits.digits)),
    overload([T.Object], (_ev: Evaluation, object: Obj) => keyList(object).length),
    overload([T.String], (_ev: Evaluation, text: string) => text.length),
    overload([T.Binary], (_ev: Evaluation, it: BinaryValue) => it.bytes.length),
    nullSafe(),
  ],
  [
    'isLeapYear',
    { gives: T.Boolean },
    ...[T.DateTime, T.Date, T.LocalDateTime].map((type) =>
      overload([type], (_ev: Evaluation, it: Temporal) => isLeap(civilFromDays(toDays(it)).year)),
    ),
  ],
  ['daysBetween', { gives: T.Number }, overload([T.Date, T.Date], daysBetween)],
  ...['log', 'logDebug', 'logError', 'logInfo', 'logWarn'].map(
    (name): FunctionDefinition => [
      name,
      overload([T.Any], (_ev: Evaluation, value: Value) => value),
      overload([T.String, T.Any], (_ev: Evaluation, _prefix: Value, value: Value) => value),
    ],
  ),
  [
    'logWith',
    overload([T.String, T.Any], (_ev: Evaluation, _level: Value, value: Value) => value),
    overload([T.String, T.String, T.Any], (_ev: Evaluation, _level: Value, _prefix: Value, value: Value) => value),
  ],
  [
    'then',
    overload([T.Null, T.Function], () => null),
    overload([T.Any, functionType(1)], (ev: Evaluation, value: Value, f: FunctionValue) =>
      f.call(ev, value, absent, absent),
    ),
  ],
  [
    'onNull',
    overload([T.Null, functionType(0)], (ev: Evaluation, _value: Value, f: FunctionValue) =>
      f.call(ev, absent, absent, absent),
    ),
    overload([T.Any, T.Function], (_ev: Evaluation, value: Value) => {
      if (value === null) throw typeFault('onNull requires a function without parameters');
      return value;
    }),
  ],
  [
    'with',
    overload([T.Function, functionType(2, 1)], (ev: Evaluation, target: FunctionValue, replacer: FunctionValue) =>
      target.call(ev, replacer, absent, absent),
    ),
  ],
  [
    'read',
    overload([T.String, T.String, T.Any], readFormat, 1),
    overload(
      [T.Binary, T.String, T.Any],
      (ev: Evaluation, it: BinaryValue, format?: string) => readFormat(ev, decodeUtf8(it.bytes), format),
      1,
    ),
  ],
  ['write', overload([T.Any, T.String, T.Any], writeFormat, 1)],
  [
    'indexOf',
    { gives: T.Number },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => indexesOf(ev, items, it)[0] ?? -1),
    overload([T.String, T.String], (_ev: Evaluation, text: string, it: string) =>
      text === '' ? -1 : text.indexOf(it),
    ),
    overload([T.Null, T.Any], () => -1),
  ],
  [
    'lastIndexOf',
    { gives: T.Number },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => indexesOf(ev, items, it).at(-1) ?? -1),
    overload([T.String, T.String], (_ev: Evaluation, text: string, it: string) =>
      it === '' ? text.length - 1 : text.lastIndexOf(it),
    ),
    overload([T.Null, T.Any], () => -1),
  ],
];
