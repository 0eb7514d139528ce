import { coercionFault } from './fault.js';

/** What a pattern in Java's notation (DecimalFormat) says about numbers. */
export interface NumberPattern {
  /** What stands around a number, and around a negative one. */
  prefix: string;
  suffix: string;
  negative: { prefix: string; suffix: string };
  minInteger: number;
  /** Where an exponent is printed, the most digits before the point: more than the least make its step. */
  maxInteger: number;
  minFraction: number;
  maxFraction: number;
  group: number;
  /** How many places the number is moved: 2 for %, 3 for ‰. */
  percent: number;
  exponent: number;
  /** The point is printed even if nothing follows it. */
  point: boolean;
}

/** The digits of a pattern as they are counted: `#` before the first `0`, `0`, `#` after it. */
class Digits {
  left = 0;
  zero = 0;
  right = 0;
  point = -1;
  group = -1;
  exponent = 0;

  /** Takes one character, or several of an exponent; how many it took, 0 if this is no part of a number. */
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
    // Without any 0, one of the # is one.
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

/** Reads a pattern. What Java refuses is a number that cannot become text, and the other way round. */
export function numberPattern(text: string): NumberPattern {
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
      // An E begins an exponent only right behind digits.
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
      // Nothing says which currency: its sign stays ¤, and its code is XXX, as ISO 4217 calls none.
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
