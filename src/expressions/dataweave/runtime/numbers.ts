import { Decimal } from 'decimal.js';
import type { Evaluation } from './evaluation.js';
import { Fault } from './fault.js';
import { Dec } from './values.js';

/** A number: a JS number where that is exact as text, a decimal otherwise. */
export type Num = number | Decimal;

const Quotient = Decimal.clone({ precision: 34, rounding: Decimal.ROUND_HALF_EVEN, defaults: true });
const maxExponent = 6144;

/** A number as a decimal. */
export function toDec(n: Num): Decimal {
  return typeof n === 'number' ? new Dec(n) : n;
}

/** The simplest representation of `d`; refuses what exceeds the limit of digits. */
export function simplify(d: Decimal, digits: number): Num {
  if (!d.isFinite()) throw new Fault('DW_FUNCTION_ERROR', 'The number is not finite');
  if (d.e > maxExponent || d.e < -maxExponent || d.precision() > digits)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `A number of more than ${digits} digits`);
  if (d.e < 16 && d.isInteger()) {
    const n = d.toNumber();
    if (Number.isSafeInteger(n)) return n === 0 ? 0 : n;
  }
  return d.precision() <= 15 && d.e > -7 && d.e < 15 ? d.toNumber() : d;
}

/**
 * A whole number whose last `-scale` digits were never written, such as `1e21`: it is printed with an exponent, as the
 * real engine's decimals are. Arithmetic keeps the scale only where the number is too large for a 64-bit integer.
 */
interface Scaled extends Decimal {
  scale: number;
}

function isScaled(n: Num): n is Scaled {
  return typeof n !== 'number' && 'scale' in n;
}

/** A decimal with a scale, which decides how it is printed. */
export function scaled(d: Decimal, scale: number): Decimal {
  return Object.assign(new Dec(d), { scale });
}

/** The scale of a number: what it is marked with, else how many decimals it has. */
export function scaleOf(n: Num): number {
  return isScaled(n) ? n.scale : toDec(n).decimalPlaces();
}

const maxLong = new Dec('9223372036854775807');

/** The result of an operation on `a` and `b`, with a scale if one of them has one. */
function rescaled(ev: Evaluation, d: Decimal, a: Num, b: Num, scale: (x: number, y: number) => number): Num {
  const plain = simplify(d, ev.limits.digits);
  if (!isScaled(a) && !isScaled(b)) return plain;
  const kept = scale(scaleOf(a), scaleOf(b));
  return kept < 0 && d.abs().gt(maxLong) ? scaled(d, kept) : plain;
}

const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const maxMantissa = 1e15;

/** How many decimals a number has, up to six; -1 if more. Such a number is exactly its text. */
function decimals(n: number): number {
  for (let scale = 0; scale <= 6; scale++) {
    const mantissa = Math.round(n * powers[scale]!);
    if (Math.abs(mantissa) >= maxMantissa) return -1;
    if (mantissa / powers[scale]! === n) return scale;
  }
  return -1;
}

/**
 * The exact sum of two numbers with few decimals, computed on whole numbers; NaN where that is not exact. Dividing a whole
 * number below 10^15 by a power of ten gives the double whose text is the exact decimal.
 */
function smallSum(a: number, b: number): number {
  const scale = Math.max(decimals(a), decimals(b));
  if (scale < 0 || decimals(a) < 0 || decimals(b) < 0) return Number.NaN;
  const power = powers[scale]!;
  const total = Math.round(a * power) + Math.round(b * power);
  return Math.abs(total) < maxMantissa ? total / power + 0 : Number.NaN;
}

function smallProduct(a: number, b: number): number {
  const [x, y] = [decimals(a), decimals(b)];
  if (x < 0 || y < 0 || x + y > 6) return Number.NaN;
  const product = Math.round(a * powers[x]!) * Math.round(b * powers[y]!);
  return Math.abs(product) < maxMantissa ? product / powers[x + y]! + 0 : Number.NaN;
}

const safe = Number.isSafeInteger;

/** The exact sum. */
export function add(ev: Evaluation, a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b)) {
    const sum = a + b;
    if (safe(sum)) return sum;
  } else if (typeof a === 'number' && typeof b === 'number') {
    const sum = smallSum(a, b);
    if (!Number.isNaN(sum)) return sum;
  }
  const [x, y] = aligned(ev, a, b);
  return rescaled(ev, x.plus(y), a, b, Math.max);
}

/** The exact difference. */
export function subtract(ev: Evaluation, a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b)) {
    const difference = a - b;
    if (safe(difference)) return difference;
  } else if (typeof a === 'number' && typeof b === 'number') {
    const difference = smallSum(a, -b);
    if (!Number.isNaN(difference)) return difference;
  }
  const [x, y] = aligned(ev, a, b);
  return rescaled(ev, x.minus(y), a, b, Math.max);
}

/** Both numbers as decimals; refuses a pair whose exact sum would have too many digits. */
function aligned(ev: Evaluation, a: Num, b: Num): [Decimal, Decimal] {
  const x = toDec(a);
  const y = toDec(b);
  if (!x.isZero() && !y.isZero()) {
    const top = Math.max(x.e, y.e);
    const bottom = Math.min(x.e - x.precision(), y.e - y.precision());
    if (top - bottom > ev.limits.digits + 1)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `A number of more than ${ev.limits.digits} digits`);
  }
  ev.charge(4);
  return [x, y];
}

/** The exact product. */
export function multiply(ev: Evaluation, a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b)) {
    const product = a * b;
    if (safe(product)) return product === 0 ? 0 : product;
  } else if (typeof a === 'number' && typeof b === 'number') {
    const product = smallProduct(a, b);
    if (!Number.isNaN(product)) return product;
  }
  const x = toDec(a);
  const y = toDec(b);
  const digits = x.precision() + y.precision();
  if (digits > ev.limits.digits + 1)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `A number of more than ${ev.limits.digits} digits`);
  ev.charge(4 + ((x.precision() * y.precision()) >> 6));
  return rescaled(ev, x.times(y), a, b, (p, q) => p + q);
}

/** Exact when the quotient terminates, otherwise 34 significant digits. */
export function divide(ev: Evaluation, a: Num, b: Num): Num {
  if (toDec(b).isZero()) throw new Fault('DW_FUNCTION_ERROR', 'Division by zero', false, 'DivisionByZeroException');
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b) && a % b === 0) return a === 0 ? 0 : a / b;
  const x = toDec(a);
  const y = toDec(b);
  ev.charge(8 + ((x.precision() + y.precision()) >> 3));
  const rounded = new Quotient(x).div(y);
  if (exact(rounded, x, y)) {
    const quotient = new Dec(rounded);
    const zeros = quotient.e + 1 - quotient.precision();
    const scale = (p: number, q: number) => Math.max(p - q, -zeros);
    if (x.isInteger() && y.isInteger()) return rescaled(ev, quotient, a, b, scale);
    const kept = quotient.isZero() ? 0 : scale(scaleOf(a), scaleOf(b));
    return kept < 0 ? scaled(quotient, kept) : simplify(quotient, ev.limits.digits);
  }
  const scale = terminatingDigits(x, y);
  if (scale !== null && scale <= ev.limits.digits) {
    const full = x.div(y);
    if (exact(full, x, y)) return simplify(full, ev.limits.digits);
  }
  return simplify(new Dec(rounded), ev.limits.digits);
}

function exact(quotient: Decimal, x: Decimal, y: Decimal): boolean {
  return new Dec(quotient).times(y).eq(x);
}

/** An upper bound on the digits of x / y if it may terminate, null if it surely does not. */
function terminatingDigits(x: Decimal, y: Decimal): number | null {
  const digits = y.precision();
  if (digits > 400) return null;
  let n = BigInt(
    y
      .abs()
      .times(new Dec(10).pow(Math.max(0, y.decimalPlaces())))
      .toFixed(0),
  );
  const top = BigInt(
    x
      .abs()
      .times(new Dec(10).pow(Math.max(0, x.decimalPlaces())))
      .toFixed(0),
  );
  n /= gcd(top, n);
  let steps = 0;
  while (n % 2n === 0n) {
    n /= 2n;
    steps++;
  }
  while (n % 5n === 0n) {
    n /= 5n;
    steps++;
  }
  return n === 1n ? steps + x.precision() : null;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

/** The remainder with the sign of the dividend. */
export function remainder(ev: Evaluation, a: Num, b: Num): Num {
  if (toDec(b).isZero()) throw new Fault('DW_FUNCTION_ERROR', 'Division by zero', false, 'DivisionByZeroException');
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b)) {
    const rest = a % b;
    return rest === 0 ? 0 : rest;
  }
  ev.charge(8);
  const x = toDec(a);
  const y = toDec(b);
  if (x.e - y.e > ev.limits.digits) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'A number of too many digits');
  return simplify(x.mod(y), ev.limits.digits);
}

/** The number with its sign changed. */
export function negate(n: Num): Num {
  if (typeof n === 'number') return n === 0 ? 0 : -n;
  return isScaled(n) ? scaled(n.negated(), n.scale) : n.negated();
}

/** The order of two numbers: negative, zero or positive. */
export function compareNumbers(a: Num, b: Num): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return toDec(a).cmp(toDec(b));
}

/** The text of a number, as the real engine prints it: no trailing zeros, `1E-7` for very small ones. */
export function numberText(n: Num): string {
  if (typeof n === 'number') {
    const text = n === 0 ? '0' : String(n);
    if (!text.includes('e')) return text;
  }
  const d = toDec(n);
  if (isScaled(n)) return scaledText(n);
  if (d.isInteger()) return d.toFixed(0);
  if (d.e >= -6) return d.toFixed();
  const [digits, exponent] = d.toExponential().split('e') as [string, string];
  return `${digits}E${exponent}`;
}

function scaledText(n: Scaled): string {
  const all = n.abs().div(new Dec(10).pow(-n.scale)).toFixed(0);
  const fraction = all.length > 1 ? `.${all.slice(1)}` : '';
  return `${n.isNegative() ? '-' : ''}${all[0]}${fraction}E+${all.length - 1 - n.scale}`;
}

/** The scale of a number written as `text`: -3 for `1e3`, 2 for `1.50`. */
function writtenScale(text: string): number {
  const [digits, exponent = '0'] = text.toLowerCase().split('e');
  return (digits!.split('.')[1]?.length ?? 0) - Number(exponent);
}

/** A double as the number that Java prints for it: large ones have an exponent. */
export function fromDouble(n: number): Num {
  if (!Number.isFinite(n))
    throw new Fault('DW_FUNCTION_ERROR', 'The result is not a number', false, 'InternalWeaveError');
  if (Math.abs(n) < 1e7 || !Number.isInteger(n)) return n === 0 ? 0 : n;
  const [digits, exponent] = n.toExponential().split('e') as [string, string];
  const scale = Math.max(1, (digits.split('.')[1] ?? '').length) - Number(exponent);
  return scale < 0 ? scaled(new Dec(n), scale) : simplify(new Dec(n), maxExponent);
}

const numeral = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The number that `text` spells, or null. */
export function parseNumber(text: string, digits: number): Num | null {
  if (text.length < 16 && /^-?\d+$/.test(text)) {
    const n = Number(text);
    return n === 0 ? 0 : n;
  }
  if (text.length > digits + 20 || !numeral.test(text)) return null;
  const d = new Dec(text);
  const simple = simplify(d, digits);
  const scale = writtenScale(text);
  return scale < 0 && !d.isZero() ? scaled(d, scale) : simple;
}

/** A position cut to 32 bits, as in the real engine. */
export function wrapped(n: Num): number {
  return toDec(n).trunc().mod(4_294_967_296).toNumber() | 0;
}

/** A whole number in the range of array positions, or null. */
export function asInteger(n: Num): number | null {
  const value = typeof n === 'number' ? n : n.toNumber();
  return Number.isSafeInteger(value) ? value : null;
}
