import { Decimal } from 'decimal.js';
import { english, type Locale } from './locales.js';
import { type NumberPattern, numberPattern } from './number-pattern.js';
import { type Num, simplify, toDec } from './numbers.js';
import { Dec } from './values.js';

const modes: ReadonlyMap<string, Decimal.Rounding> = new Map([
  ['UP', Decimal.ROUND_UP],
  ['DOWN', Decimal.ROUND_DOWN],
  ['CEILING', Decimal.ROUND_CEIL],
  ['FLOOR', Decimal.ROUND_FLOOR],
  ['HALF_UP', Decimal.ROUND_HALF_UP],
  ['HALF_DOWN', Decimal.ROUND_HALF_DOWN],
  ['HALF_EVEN', Decimal.ROUND_HALF_EVEN],
]);

/** A number printed by a pattern in Java's notation. */
export function formatNumber(n: Num, pattern: string, roundMode = 'HALF_UP', locale = english): string {
  const read = numberPattern(pattern);
  const value = toDec(n);
  const plain = digitsOf(value, read, modes.get(roundMode) ?? Decimal.ROUND_HALF_UP);
  const digits =
    locale === english ? plain : plain.replace(/[.,]/g, (c) => (c === '.' ? locale.decimal : locale.group));
  // One that is rounded to zero is negative still.
  const { prefix, suffix } = value.isNegative() && !value.isZero() ? read.negative : read;
  return prefix + digits + suffix;
}

function digitsOf(value: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  const signed = value.times(new Dec(10).pow(pattern.percent));
  return pattern.exponent > 0 ? scientific(signed, pattern, rounding) : fixed(signed, pattern, rounding);
}

/** With an exponent: rounded to as many digits as the pattern has, and the point after those that are left of it. */
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
  // Java does not see the tie of a percentage that is half of the last place, because of the zeros that moving it left behind.
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

/** The text with the point and commas of English; the locale's meaningless ones become blanks, which end the number. */
function inEnglish(text: string, { decimal, group }: Locale): string {
  return [...text].map((c) => (c === decimal ? '.' : c === group ? ',' : c === '.' || c === ',' ? ' ' : c)).join('');
}

/** The number that a text spells under a pattern, or null. Trailing text is ignored, as in Java. */
export function parseFormatted(text: string, pattern: string, digits: number, locale = english): Num | null {
  const read = numberPattern(pattern);
  // Of two that fit, the one that says more counts.
  const halves = [read, read.negative].sort((a, b) => sizeOf(b) - sizeOf(a));
  for (const half of halves) {
    if (!text.startsWith(half.prefix)) continue;
    const given = text.slice(half.prefix.length);
    const rest = locale === english ? given : inEnglish(given, locale);
    const m = /^[\d,]*(\.\d*)?(E-?\d+)?/.exec(rest)![0];
    if (!/\d/.test(m) || !rest.slice(m.length).startsWith(half.suffix)) continue;
    const value = new Dec(m.replaceAll(',', '').replace(/\.$/, '')).times(new Dec(10).pow(-read.percent));
    return simplify(half === read ? value : value.negated(), digits);
  }
  return null;
}

function sizeOf({ prefix, suffix }: { prefix: string; suffix: string }): number {
  return prefix.length + suffix.length;
}
