import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { divide, fromDouble, multiply, type Num, simplify, toDec } from '../runtime/numbers.js';
import { Dec, T, type Value } from '../runtime/values.js';
import { nullSafe } from './core-collections.js';

const pi = new Dec('3.14159265358979323846');
const Precise = Dec.clone({ precision: 64, defaults: true });

/** Defines a correctly rounded function of doubles; null if the result is not a number. */
function real(name: string, fn: (x: Dec) => Dec): FunctionDefinition {
  return [
    name,
    overload([T.Number], (ev: Evaluation, n: Num) => {
      ev.charge(100);
      const x = toDec(n).toNumber();
      if (!Number.isFinite(x) || Math.abs(x) > 1e30) throw new Fault('DW_FUNCTION_ERROR', 'The number is out of range');
      const out = fn(new Precise(x.toPrecision(60))).toNumber();
      return Number.isFinite(out) ? fromDouble(out) : null;
    }),
  ];
}

/** Constants of dw::util::Math. */
export const mathConstants: ReadonlyMap<string, Value> = new Map([['PI', pi]]);

/** Functions of dw::util::Math. */
export const mathFunctions: readonly FunctionDefinition[] = [
  real('acos', (x) => x.acos()),
  real('asin', (x) => x.asin()),
  real('atan', (x) => x.atan()),
  real('cos', (x) => x.cos()),
  real('sin', (x) => x.sin()),
  real('tan', (x) => x.tan()),
  real('logn', (x) => x.ln()),
  real('log10', (x) => x.log(10)),
  ['toDegrees', overload([T.Number], (ev: Evaluation, n: Num) => divide(ev, multiply(ev, n, 180), pi))],
  ['toRadians', overload([T.Number], (ev: Evaluation, n: Num) => multiply(ev, divide(ev, n, 180), pi))],
];

function toRadix(_ev: Evaluation, n: Num, radix: number): Value {
  const d = toDec(n);
  if (!d.isInteger()) throw new Fault('DW_FUNCTION_ERROR', 'The number must be whole');
  if (d.precision(true) > 1000) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The number has too many digits');
  return BigInt(d.toFixed(0)).toString(radix);
}

function fromRadix(ev: Evaluation, text: string, radix: number): Value {
  const digits = text.replace(/^[+-]/, '').toLowerCase();
  const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix);
  if (digits === '' || text.length > 1000 || [...digits].some((c) => !alphabet.includes(c)))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not a number in this radix');
  let total = 0n;
  for (const c of digits) total = total * BigInt(radix) + BigInt(alphabet.indexOf(c));
  ev.charge(digits.length);
  return simplify(new Dec((text.startsWith('-') ? -total : total).toString()), ev.limits.digits);
}

function checkedRadix(n: Num): number {
  const radix = Math.trunc(toDec(n).toNumber());
  if (radix < 2 || radix > 36) throw new Fault('DW_FUNCTION_ERROR', 'The radix is out of range');
  return radix;
}

function radixOf(n: Num): number {
  const radix = Math.trunc(toDec(n).toNumber());
  return radix >= 2 && radix <= 36 ? radix : 10;
}

/** Functions of dw::core::Numbers. */
export const numberFunctions: readonly FunctionDefinition[] = [
  ['toBinary', overload([T.Number], (ev: Evaluation, n: Num) => toRadix(ev, n, 2)), nullSafe()],
  ['toHex', overload([T.Number], (ev: Evaluation, n: Num) => toRadix(ev, n, 16)), nullSafe()],
  [
    'toRadixNumber',
    overload([T.Number, T.Number], (ev: Evaluation, n: Num, radix: Num) => toRadix(ev, n, radixOf(radix))),
  ],
  ['fromBinary', overload([T.String], (ev: Evaluation, text: string) => fromRadix(ev, text, 2)), nullSafe()],
  ['fromHex', overload([T.String], (ev: Evaluation, text: string) => fromRadix(ev, text, 16)), nullSafe()],
  [
    'fromRadixNumber',
    overload([T.String, T.Number], (ev: Evaluation, text: string, radix: Num) =>
      fromRadix(ev, text, checkedRadix(radix)),
    ),
  ],
];
