import { Decimal } from 'decimal.js';
import { coercionFault } from './evaluation-fault.js';
import { english, type Locale } from './locales.js';
import { type Num, simplify, toDec } from './numbers.js';
import { Dec } from './values.js';

/** A parsed number pattern in Java's notation (DecimalFormat). */
interface NumberPattern {
  /** Text around a number, and around a negative one. */
  prefix: string;
  suffix: string;
  negative: { prefix: string; suffix: string };
  minInteger: number;
  /** Maximum integer digits. With an exponent, a maximum above the minimum is also the exponent's step. */
  maxInteger: number;
  minFraction: number;
  maxFraction: number;
  group: number;
  /** Decimal places to shift: 2 for %, 3 for ‰. */
  percent: number;
  exponent: number;
  /** Prints the decimal point even without a fraction. */
  point: boolean;
}

/** Digits of a pattern by kind: `#` before the first `0`, `0`, `#` after it. */
class Digits {
  left = 0;
  zero = 0;
  right = 0;
  point = -1;
  group = -1;
  exponent = 0;

  /** Consumes one character, or several of an exponent. Returns how many, and 0 for a character outside the number. */
  take(text: string, at: number): number {
    const c = text[at]!;
    if (c === '#' || c === '0') {
      if (c === '0' && this.right > 0) throw malformed();
      if (c === '0') this.zero++;
      else if (this.zero > 0) this.right++;
      else this.left++;
      if (this.group >= 0 && this.point < 0) this.group++;
      return 1;
    }
    if (c === ',') this.group = 0;
    else if (c === '.') {
      if (this.point >= 0) throw malformed();
      this.point = this.left + this.zero + this.right;
    } else if (c === 'E') {
      const zeros = /^0*/.exec(text.slice(at + 1))![0].length;
      if (this.exponent > 0 || this.left + this.zero < 1 || zeros < 1) throw malformed();
      this.exponent = zeros;
      return zeros + 1;
    } else return 0;
    return 1;
  }

  read(): Omit<NumberPattern, 'prefix' | 'suffix' | 'negative' | 'percent'> {
    // Without any 0, one # counts as 0.
    if (this.zero === 0 && this.left > 0 && this.point >= 0) {
      const places = Math.max(1, this.point);
      this.right = this.left - places;
      this.left = places - 1;
      this.zero = 1;
    }
    const { left, zero, right, point, group, exponent } = this;
    if (point < 0 ? right > 0 : point < left || point > left + zero) throw malformed();
    if (group === 0) throw malformed();
    const total = left + zero + right;
    const minInteger = (point >= 0 ? point : total) - left;
    return {
      minInteger,
      maxInteger: left + minInteger,
      minFraction: point >= 0 ? left + zero - point : 0,
      maxFraction: point >= 0 ? total - point : 0,
      group: Math.max(0, group),
      exponent,
      point: point === 0 || point === total,
    };
  }
}

/** Parses a number pattern. A pattern that Java rejects is reported as a failed conversion. */
function parseNumberPattern(text: string): NumberPattern {
  const digits = new Digits();
  let percent = 0;
  let at = 0;
  const half = (isSecond: boolean): { prefix: string; suffix: string } => {
    const out = { prefix: '', suffix: '' };
    let affix: keyof typeof out = 'prefix';
    let quoted = false;
    for (; at < text.length; at++) {
      const c = text[at]!;
      if (c === "'") {
        if (text[at + 1] === "'") {
          out[affix] += c;
          at++;
        } else quoted = !quoted;
        continue;
      }
      if (quoted) {
        out[affix] += c;
        continue;
      }
      // An E starts an exponent only directly after digits.
      const isNumber = '#0,.'.includes(c) || (c === 'E' && affix === 'suffix' && out.suffix === '');
      if (isNumber) {
        at += (isSecond ? 1 : digits.take(text, at)) - 1;
        affix = 'suffix';
        continue;
      }
      if (c === ';') {
        if (affix === 'prefix' || isSecond) throw malformed();
        break;
      }
      if (c === '%' || c === '‰') {
        if (percent > 0 && !isSecond) throw malformed();
        percent = c === '%' ? 2 : 3;
      }
      // No currency is known: its sign stays ¤, and its code is XXX, the ISO 4217 code for none.
      const isCode = c === '¤' && text[at + 1] === '¤';
      if (isCode) at++;
      out[affix] += isCode ? 'XXX' : c;
    }
    if (quoted) throw malformed();
    return out;
  };
  const positive = half(false);
  at++;
  const given = at < text.length ? half(true) : positive;
  const same = given.prefix === positive.prefix && given.suffix === positive.suffix;
  const negative = same ? { prefix: `-${positive.prefix}`, suffix: positive.suffix } : given;
  if (text === '')
    return { ...digits.read(), ...positive, negative, percent, maxFraction: Number.POSITIVE_INFINITY, group: 3 };
  return { ...digits.read(), ...positive, negative, percent };
}

function malformed() {
  return coercionFault('Number', 'String');
}

const modes: ReadonlyMap<string, Decimal.Rounding> = new Map([
  ['UP', Decimal.ROUND_UP],
  ['DOWN', Decimal.ROUND_DOWN],
  ['CEILING', Decimal.ROUND_CEIL],
  ['FLOOR', Decimal.ROUND_FLOOR],
  ['HALF_UP', Decimal.ROUND_HALF_UP],
  ['HALF_DOWN', Decimal.ROUND_HALF_DOWN],
  ['HALF_EVEN', Decimal.ROUND_HALF_EVEN],
]);

/** Formats a number with a pattern in Java's notation. */
export function formatNumber(n: Num, pattern: string, roundMode = 'HALF_UP', locale = english): string {
  const read = parseNumberPattern(pattern);
  const value = toDec(n);
  const plain = digitsOf(value, read, modes.get(roundMode) ?? Decimal.ROUND_HALF_UP);
  const digits =
    locale === english ? plain : plain.replace(/[.,]/g, (c) => (c === '.' ? locale.decimal : locale.group));
  // A negative number that rounds to zero keeps its sign.
  const { prefix, suffix } = value.isNegative() && !value.isZero() ? read.negative : read;
  return prefix + digits + suffix;
}

function digitsOf(value: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  const signed = value.times(new Dec(10).pow(pattern.percent));
  return pattern.exponent > 0 ? scientific(signed, pattern, rounding) : fixed(signed, pattern, rounding);
}

/** Formats with an exponent: rounded to the digits of the pattern, with the decimal point after its integer digits. */
function scientific(value: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  const { minInteger, maxInteger, minFraction, maxFraction } = pattern;
  const rounded = value.isZero() ? value : value.toSignificantDigits(Math.max(1, maxInteger + maxFraction), rounding);
  const digits = rounded.isZero()
    ? ''
    : rounded
        .abs()
        .toFixed()
        .replace('.', '')
        .replace(/^0+|0+$/g, '');
  const before = rounded.isZero() ? 0 : rounded.e + 1;
  const isStepped = maxInteger > 1 && maxInteger > minInteger;
  const exponent = isStepped ? Math.floor((before - 1) / maxInteger) * maxInteger : before - minInteger;
  const whole = rounded.isZero() ? (isStepped ? 1 : minInteger) : before - exponent;
  const text = digits.padEnd(Math.max(minInteger + minFraction, whole), '0');
  const mantissa = text.slice(0, whole) + (text.length > whole || pattern.point ? `.${text.slice(whole)}` : '');
  const shown = rounded.isZero() ? 0 : exponent;
  return `${mantissa}E${shown < 0 ? '-' : ''}${String(Math.abs(shown)).padStart(pattern.exponent, '0')}`;
}

function fixed(given: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  // Java does not detect a tie for a percentage of half the last place, because the shift leaves trailing zeros.
  const isTie =
    pattern.percent > 0 && rounding === Decimal.ROUND_HALF_UP && given.abs().eq(halfOf(pattern.maxFraction));
  const value = isTie ? new Dec(0) : given;
  const places = Math.max(pattern.minFraction, Math.min(pattern.maxFraction, value.decimalPlaces()));
  const text = value.toDecimalPlaces(places, rounding).abs().toFixed(places);
  let [whole, fraction = ''] = text.split('.') as [string, string?];
  while (fraction.length > pattern.minFraction && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  if (whole === '0' && pattern.minInteger === 0 && fraction) whole = '';
  whole = whole.padStart(pattern.minInteger, '0');
  if (pattern.group > 0) whole = whole.replace(new RegExp(`\\B(?=(\\d{${pattern.group}})+$)`, 'g'), ',');
  return fraction || pattern.point ? `${whole}.${fraction}` : whole;
}

function halfOf(places: number): Decimal {
  return new Dec(0.5).times(new Dec(10).pow(-places));
}

/** The text with English separators. Characters that are not separators in the locale become blanks, which end the number. */
function inEnglish(text: string, { decimal, group }: Locale): string {
  return [...text].map((c) => (c === decimal ? '.' : c === group ? ',' : c === '.' || c === ',' ? ' ' : c)).join('');
}

/** Parses a number with a pattern; null if it does not match. Trailing text is ignored, as in Java. */
export function parseFormatted(text: string, pattern: string, digits: number, locale = english): Num | null {
  const read = parseNumberPattern(pattern);
  // If both match, the longer one wins.
  const halves = [read, read.negative].sort((a, b) => sizeOf(b) - sizeOf(a));
  for (const half of halves) {
    if (!text.startsWith(half.prefix)) continue;
    const given = text.slice(half.prefix.length);
    const rest = locale === english ? given : inEnglish(given, locale);
    const m = (read.group > 0 ? /^[\d,]*(\.\d*)?(E-?\d+)?/ : /^\d*(\.\d*)?(E-?\d+)?/).exec(rest)![0];
    if (!/\d/.test(m) || !rest.slice(m.length).startsWith(half.suffix)) continue;
    const value = new Dec(m.replaceAll(',', '').replace(/\.$/, '')).times(new Dec(10).pow(-read.percent));
    return simplify(half === read ? value : value.negated(), digits);
  }
  return null;
}

function sizeOf({ prefix, suffix }: { prefix: string; suffix: string }): number {
  return prefix.length + suffix.length;
}
