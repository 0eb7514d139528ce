import { Decimal } from 'decimal.js';
import { coercionFault } from './fault.js';
import { english, type Locale } from './locales.js';
import { type Num, simplify, toDec } from './numbers.js';
import { Dec } from './values.js';

interface NumberPattern {
  prefix: string;
  suffix: string;
  minInteger: number;
  minFraction: number;
  maxFraction: number;
  group: number;
  percent: number;
  exponent: number;
  /** The point is printed even if nothing follows it. */
  point: boolean;
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

/** The two halves of a pattern in Java's notation: for positive and for negative numbers. */
function parsePattern(pattern: string): { positive: NumberPattern; negative: NumberPattern | null } {
  let quoted = false;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "'") quoted = !quoted;
    if (pattern[i] === ';' && !quoted)
      return { positive: parseHalf(pattern.slice(0, i)), negative: parseHalf(pattern.slice(i + 1)) };
  }
  return { positive: parseHalf(pattern), negative: null };
}

function parseHalf(text: string): NumberPattern {
  const out: NumberPattern = {
    prefix: '',
    suffix: '',
    minInteger: 0,
    minFraction: 0,
    maxFraction: 0,
    group: 0,
    percent: 0,
    exponent: 0,
    point: false,
  };
  if (text === '') return { ...out, maxFraction: Number.POSITIVE_INFINITY, group: 3 };
  let phase: 'prefix' | 'number' | 'suffix' = 'prefix';
  let sawPoint = false;
  let sinceGroup = -1;
  let optional = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "'") {
      const end = text.indexOf("'", i + 1);
      const literal = end === i + 1 ? "'" : text.slice(i + 1, end === -1 ? undefined : end);
      if (phase === 'prefix') out.prefix += literal;
      else {
        phase = 'suffix';
        out.suffix += literal;
      }
      i = end === -1 ? text.length : end;
    } else if (phase !== 'suffix' && '#0,.'.includes(c)) {
      phase = 'number';
      if (c === ',') sinceGroup = 0;
      else if (c === '.') sawPoint = true;
      else if (sawPoint) {
        out.maxFraction++;
        if (c === '0') out.minFraction = out.maxFraction;
      } else {
        if (c === '0') out.minInteger++;
        else optional++;
        if (sinceGroup >= 0) sinceGroup++;
      }
    } else if (phase === 'number' && c === 'E' && text[i + 1] === '0') {
      while (text[i + 1] === '0') {
        out.exponent++;
        i++;
      }
      phase = 'suffix';
    } else {
      if (phase === 'number') phase = 'suffix';
      if (c === '%') out.percent = 2;
      if (c === '‰') out.percent = 3;
      const literal = c === '¤' ? '$' : c;
      if (phase === 'prefix') out.prefix += literal;
      else out.suffix += literal;
    }
  }
  if (sinceGroup === 0) throw coercionFault('Number', 'String');
  out.group = Math.max(0, sinceGroup);
  out.point = sawPoint && out.maxFraction === 0;
  if (sawPoint && out.minInteger === 0 && out.minFraction === 0) {
    if (optional > 0) out.minInteger = 1;
    else if (out.maxFraction > 0) out.minFraction = 1;
  }
  return out;
}

/** A number printed by a pattern in Java's notation. */
export function formatNumber(n: Num, pattern: string, roundMode = 'HALF_UP', locale = english): string {
  const { positive, negative } = parsePattern(pattern);
  const rounding = modes.get(roundMode) ?? Decimal.ROUND_HALF_UP;
  const value = toDec(n);
  const plain = digitsOf(value, positive, rounding);
  const isNegative = value.isNegative() && !/^[0.,]*$/.test(plain);
  const digits =
    locale === english ? plain : plain.replace(/[.,]/g, (c) => (c === '.' ? locale.decimal : locale.group));
  if (!isNegative) return positive.prefix + digits + positive.suffix;
  return negative ? negative.prefix + digits + negative.suffix : `-${positive.prefix}${digits}${positive.suffix}`;
}

function digitsOf(value: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  const signed = value.times(new Dec(10).pow(pattern.percent));
  if (pattern.exponent > 0) {
    const whole = Math.max(1, pattern.minInteger);
    const exponent = signed.isZero() ? 0 : signed.e - (whole - 1);
    const mantissa = fixed(signed.times(new Dec(10).pow(-exponent)), pattern, rounding);
    return `${mantissa}E${exponent < 0 ? '-' : ''}${String(Math.abs(exponent)).padStart(pattern.exponent, '0')}`;
  }
  return fixed(signed, pattern, rounding);
}

function fixed(value: Decimal, pattern: NumberPattern, rounding: Decimal.Rounding): string {
  const places = Math.max(pattern.minFraction, Math.min(pattern.maxFraction, value.decimalPlaces()));
  const text = value.toDecimalPlaces(places, rounding).abs().toFixed(places);
  let [whole, fraction = ''] = text.split('.') as [string, string?];
  while (fraction.length > pattern.minFraction && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  if (whole === '0' && pattern.minInteger === 0 && fraction) whole = '';
  whole = whole.padStart(pattern.minInteger, '0');
  if (pattern.group > 0) whole = whole.replace(new RegExp(`\\B(?=(\\d{${pattern.group}})+$)`, 'g'), ',');
  return fraction || pattern.point ? `${whole}.${fraction}` : whole;
}

/** The text with the point and commas of English; the locale's meaningless ones become blanks, which end the number. */
function inEnglish(text: string, { decimal, group }: Locale): string {
  return [...text].map((c) => (c === decimal ? '.' : c === group ? ',' : c === '.' || c === ',' ? ' ' : c)).join('');
}

/** The number that a text spells under a pattern, or null. Trailing text is ignored, as in Java. */
export function parseFormatted(text: string, pattern: string, digits: number, locale = english): Num | null {
  const { positive, negative } = parsePattern(pattern);
  const tries: [NumberPattern, number][] = [[positive, 1]];
  if (negative) tries.push([negative, -1]);
  for (const [half, sign] of tries) {
    const minus = text.startsWith('-') && !half.prefix.startsWith('-');
    const body = minus ? text.slice(1) : text;
    if (!body.startsWith(half.prefix)) continue;
    const given = body.slice(half.prefix.length);
    const rest = locale === english ? given : inEnglish(given, locale);
    const m = /^[\d,]*(\.\d*)?(E-?\d+)?/.exec(rest)![0];
    if (!/\d/.test(m) || !rest.slice(m.length).startsWith(half.suffix)) continue;
    const value = new Dec(m.replaceAll(',', '').replace(/\.$/, '')).times(new Dec(10).pow(-half.percent));
    return simplify(minus || sign < 0 ? value.negated() : value, digits);
  }
  return null;
}
