import { Decimal } from 'decimal.js';
import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { Dec } from './values.js';

/** A number: a JS number if its text is exact, a decimal otherwise. */
export type Num = number | Decimal;

const Quotient = Decimal.clone({ precision: 34, rounding: Decimal.ROUND_HALF_EVEN, defaults: true });
const maxExponent = 6144;

/** Converts a number to a decimal. */
export function toDec(n: Num): Decimal {
  return typeof n === 'number' ? new Dec(n) : n;
}

/** Simplest representation of `d`; rejects numbers with too many digits. */
export function simplify(d: Decimal, digits: number): Num {
  if (!d.isFinite()) throw new Fault('DW_FUNCTION_ERROR', 'The number is not finite');
  if (d.e > maxExponent || d.e < -maxExponent || d.precision() > digits)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The number has more than ${digits} digits`);
  if (d.e < 16 && d.isInteger()) {
    const n = d.toNumber();
    if (Number.isSafeInteger(n)) return n === 0 ? 0 : n;
  }
  return d.precision() <= 15 && d.e > -7 && d.e < 15 ? d.toNumber() : d;
}

const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const maxMantissa = 1e15;

/** Number of decimals, up to six; -1 if more. Such a number equals its text exactly. */
function decimals(n: number): number {
  for (let scale = 0; scale <= 6; scale++) {
    const mantissa = Math.round(n * powers[scale]!);
    if (Math.abs(mantissa) >= maxMantissa) return -1;
    if (mantissa / powers[scale]! === n) return scale;
  }
  return -1;
}

/**
 * Exact sum of two numbers with few decimals, computed with whole numbers; NaN if that is not exact. Dividing a whole number below 10^15 by
 * a power of ten yields the double whose text is the exact decimal.
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
  return simplify(x.plus(y), ev.limits.digits);
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
  return simplify(x.minus(y), ev.limits.digits);
}

/** Both numbers as decimals; rejects a pair whose exact sum would have too many digits. */
function aligned(ev: Evaluation, a: Num, b: Num): [Decimal, Decimal] {
  const x = toDec(a);
  const y = toDec(b);
  if (!x.isZero() && !y.isZero()) {
    const top = Math.max(x.e, y.e);
    const bottom = Math.min(x.e - x.precision(), y.e - y.precision());
    if (top - bottom > ev.limits.digits + 1)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The number has more than ${ev.limits.digits} digits`);
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
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The number has more than ${ev.limits.digits} digits`);
  ev.charge(4 + ((x.precision() * y.precision()) >> 6));
  return simplify(x.times(y), ev.limits.digits);
}

/** Exact if the quotient terminates, otherwise 34 significant digits. */
export function divide(ev: Evaluation, a: Num, b: Num): Num {
  if (toDec(b).isZero()) throw new Fault('DW_FUNCTION_ERROR', 'Division by zero', false, 'DivisionByZeroException');
  if (typeof a === 'number' && typeof b === 'number' && safe(a) && safe(b) && a % b === 0) return a === 0 ? 0 : a / b;
  const x = toDec(a);
  const y = toDec(b);
  ev.charge(8 + ((x.precision() + y.precision()) >> 3));
  const rounded = new Quotient(x).div(y);
  if (exact(rounded, x, y)) return simplify(new Dec(rounded), ev.limits.digits);
  const digits = terminatingDigits(x, y);
  if (digits !== null && digits <= ev.limits.digits) {
    const full = x.div(y);
    if (exact(full, x, y)) return simplify(full, ev.limits.digits);
  }
  return simplify(new Dec(rounded), ev.limits.digits);
}

function exact(quotient: Decimal, x: Decimal, y: Decimal): boolean {
  return new Dec(quotient).times(y).eq(x);
}

/** Upper bound for the digits of x / y if it may terminate; null if it cannot. */
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
  if (x.e - y.e > ev.limits.digits) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The number has too many digits');
  return simplify(x.mod(y), ev.limits.digits);
}

/** The negated number. */
export function negate(n: Num): Num {
  if (typeof n === 'number') return n === 0 ? 0 : -n;
  return n.negated();
}

/** Compares two numbers: negative, zero or positive. */
export function compareNumbers(a: Num, b: Num): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return toDec(a).cmp(toDec(b));
}

/** Text of a number: plain digits without trailing zeros, `1E-7` for fractions that begin after six zeros. */
export function numberText(n: Num): string {
  if (typeof n === 'number') {
    const text = n === 0 ? '0' : String(n);
    if (!text.includes('e')) return text;
  }
  const d = toDec(n);
  if (d.isInteger()) return d.toFixed(0);
  if (d.e >= -6) return d.toFixed();
  const [digits, exponent] = d.toExponential().split('e') as [string, string];
  return `${digits}E${exponent}`;
}

/** The number that a double stands for. */
export function fromDouble(n: number): Num {
  if (!Number.isFinite(n))
    throw new Fault('DW_FUNCTION_ERROR', 'The result is not a number', false, 'InternalWeaveError');
  return simplify(new Dec(n), maxExponent);
}

const numeral = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Parses a number; null if invalid. */
export function parseNumber(text: string, digits: number): Num | null {
  if (text.length < 16 && /^-?\d+$/.test(text)) {
    const n = Number(text);
    return n === 0 ? 0 : n;
  }
  if (text.length > digits + 20 || !numeral.test(text)) return null;
  return simplify(new Dec(text), digits);
}

/** A position wrapped to 32 bits, as in the reference engine. */
export function wrapTo32Bits(n: Num): number {
  if (typeof n === 'number' && Math.abs(n) < 2 ** 31) return Math.trunc(n);
  return toDec(n).trunc().mod(4_294_967_296).toNumber() | 0;
}

/** A whole number in the range of array indexes, or null. */
export function asInteger(n: Num): number | null {
  const value = typeof n === 'number' ? n : n.toNumber();
  return Number.isSafeInteger(value) ? value : null;
}
