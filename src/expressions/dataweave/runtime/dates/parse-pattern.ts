import { english, type Locale } from '../locales.js';
import { daysFromCivil, daysInMonth, nanosPerSecond } from './civil.js';
import { type PatternToken, tokenize } from './pattern.js';
import type { ZoneValue } from './values.js';
import { zoneOfAbbreviation } from './zone-names.js';
import { parseZone } from './zones.js';

/** What a pattern found in a text. */
export interface Found {
  day: number | null;
  nanos: number | null;
  zone: ZoneValue | null;
}

interface State {
  at: number;
  zone: ZoneValue | null;
  readonly locale: Locale;
}

const zoneLetters = 'XxZVzO';

/** Reads `text` by a pattern in Java's notation; null if it does not fit. Days past the end of a month mean its last. */
export function parseByPattern(text: string, pattern: string, locale = english): Found | null {
  const tokens = tokenize(pattern);
  const values = new Map<string, number>();
  const state: State = { at: 0, zone: null, locale };
  if (!readTokens(tokens, 0, tokens.length, text, values, state)) return null;
  return state.at === text.length ? resolve(values, state.zone) : null;
}

function readTokens(
  tokens: PatternToken[],
  from: number,
  to: number,
  text: string,
  values: Map<string, number>,
  state: State,
): boolean {
  for (let i = from; i < to; i++) {
    const token = tokens[i]!;
    if (token.kind === 'open') {
      let depth = 1;
      let end = i + 1;
      for (; end < to && depth > 0; end++) {
        if (tokens[end]!.kind === 'open') depth++;
        if (tokens[end]!.kind === 'close') depth--;
      }
      const back = state.at;
      const saved = new Map(values);
      if (!readTokens(tokens, i + 1, end - 1, text, values, state)) {
        state.at = back;
        values.clear();
        for (const [key, value] of saved) values.set(key, value);
      }
      i = end - 1;
    } else if (token.kind === 'text') {
      if (text.slice(state.at, state.at + token.text.length).toLowerCase() !== token.text.toLowerCase()) return false;
      state.at += token.text.length;
    } else if (
      token.kind === 'field' &&
      !readField(token.letter, token.count, adjacent(tokens, i), text, values, state)
    )
      return false;
  }
  return true;
}

/** How many digits the numeric fields that follow directly will take. */
function adjacent(tokens: PatternToken[], i: number): number {
  let claimed = 0;
  for (let j = i + 1; j < tokens.length; j++) {
    const next = tokens[j]!;
    if (next.kind !== 'field' || !isNumeric(next.letter, next.count)) break;
    claimed += next.count;
  }
  return claimed;
}

function isNumeric(letter: string, count: number): boolean {
  if ('ML'.includes(letter)) return count <= 2;
  return 'uyYDdHhKkmsSAnN'.includes(letter);
}

function readField(
  letter: string,
  count: number,
  claimed: number,
  text: string,
  values: Map<string, number>,
  state: State,
): boolean {
  const rest = text.slice(state.at);
  if (zoneLetters.includes(letter)) {
    const m = /^(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?|[A-Za-z][\w/+-]*)/.exec(rest);
    const zone = m && parseZone(letter === 'z' ? zoneOfAbbreviation(m[0]) : m[0]);
    if (!m || !zone) return false;
    state.zone = zone;
    state.at += m[0].length;
    return true;
  }
  if (letter === 'a') {
    const lower = rest.toLowerCase();
    const half = state.locale.halves.findIndex((it) => lower.startsWith(it.toLowerCase()));
    if (half === -1) return false;
    values.set('a', half);
    state.at += state.locale.halves[half]!.length;
    return true;
  }
  if (!isNumeric(letter, count)) return readName(letter, count, rest, values, state);
  const fixed = letter === 'S' || claimed > 0 || (count === 2 && letter !== 'D') || (count === 1 && false);
  const open = (letter === 'u' || letter === 'y') && count !== 2;
  const digits = /^[+-]?\d+/.exec(rest)?.[0] ?? '';
  if (!isSigned(digits, letter, count, open && claimed === 0)) return false;
  let width = fixed ? count : Math.max(count, open ? 10 : 19);
  if (claimed > 0 && open) width = Math.max(count, digits.length - claimed);
  const taken = digits.slice(0, width);
  if (taken.length < (letter === 'S' || fixed || count > 1 ? count : 1)) return false;
  state.at += taken.length;
  const n = Number(taken);
  if (letter === 'S') values.set('S', Number(taken.padEnd(9, '0')));
  else if ((letter === 'u' || letter === 'y') && count === 2) values.set('u', 2000 + n);
  else values.set(letter === 'y' || letter === 'Y' ? 'u' : letter === 'L' ? 'M' : letter, n);
  return true;
}

/** Whether a number may have the sign that it has: `u` a minus, a year beyond its four or more letters a plus, which it then needs. */
function isSigned(digits: string, letter: string, count: number, isYear: boolean): boolean {
  if (digits.startsWith('-')) return letter === 'u';
  const hasPlus = digits.startsWith('+');
  if (!isYear || count < 4) return !hasPlus;
  return hasPlus === digits.length - (hasPlus ? 1 : 0) > count;
}

function readName(letter: string, count: number, rest: string, values: Map<string, number>, state: State): boolean {
  const { locale } = state;
  const isMonth = letter === 'M' || letter === 'L';
  const isDay = letter === 'E' || letter === 'e' || letter === 'c';
  const full = count === 4;
  const names = isMonth
    ? full
      ? locale.months
      : locale.shortMonths
    : isDay
      ? full
        ? locale.days
        : locale.shortDays
      : null;
  if (!names) {
    const era = letter === 'G' ? /^(AD|BC)/i.exec(rest) : null;
    if (!era) return false;
    state.at += 2;
    return true;
  }
  const lower = rest.toLowerCase();
  for (const [i, name] of names.entries()) {
    const wanted = name.toLowerCase();
    if (!lower.startsWith(wanted)) continue;
    state.at += wanted.length;
    values.set(isMonth ? 'M' : 'E', i + 1);
    return true;
  }
  return false;
}

function resolve(values: Map<string, number>, zone: ZoneValue | null): Found | null {
  const day = resolveDay(values);
  const nanos = resolveTime(values);
  return day === undefined || nanos === undefined ? null : { day, nanos, zone };
}

function resolveDay(values: Map<string, number>): number | null | undefined {
  const year = values.get('u');
  if (year === undefined) return null;
  const ordinal = values.get('D');
  if (ordinal !== undefined) return daysFromCivil(year, 1, 1) + ordinal - 1;
  const month = values.get('M');
  const day = values.get('d');
  if (month === undefined || day === undefined) return null;
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  return daysFromCivil(year, month, Math.min(day, daysInMonth(year, month)));
}

function resolveTime(values: Map<string, number>): number | null | undefined {
  const half = values.get('a');
  let hour = values.get('H');
  const twelve = values.get('h') ?? values.get('K');
  if (hour === undefined && values.has('k')) hour = values.get('k')! % 24;
  if (hour === undefined && twelve !== undefined && half !== undefined) hour = (twelve % 12) + half * 12;
  if (hour === undefined) return null;
  const minute = values.get('m') ?? 0;
  const second = values.get('s') ?? 0;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return (hour * 3600 + minute * 60 + second) * nanosPerSecond + (values.get('S') ?? values.get('n') ?? 0);
}
