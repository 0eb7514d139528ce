import { readCronFields } from '../../cadence/read-cron-fields.js';
import { normalize, quotedText } from '../split-words.js';
import { weekdayField, weekdaysOf } from './calendar-recurrence-phrases.js';
import type { ClockTime } from './clock-time-phrases.js';

const value = '(?:\\*|\\?|\\d{1,4}|[A-Za-z]{3,9}|L|W)';
const token = new RegExp(`^${value}(?:[-/,#]${value}){0,60}[LW]?$`);
const names =
  /^(?:(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[-,/#]|$)|[*\d?@LW])/i;

function isToken(word: string): boolean {
  const bare = word.replace(/[;:]$/, '');
  return /^@[a-z]+$/.test(bare) || (token.test(bare) && names.test(bare));
}

/** Extracts a cron expression from anywhere in the words: after the word "cron", or five fields of which at least two have stars. */
export function extractCron(
  words: readonly string[],
  quotes: readonly string[],
): { words: string[]; cron: string } | undefined {
  const word = words.findIndex((it) => /^cron(?:tab)?:?$/i.test(it));
  // "a cron job for …" is not followed by an expression.
  const spoken = /^jobs?$/i.test(words[word + 1] ?? '') ? -1 : word;
  let from = spoken + 1;
  while (spoken >= 0 && /^(?:expression|schedule|string|of|is|=|:)$/i.test(words[from] ?? '')) from++;
  const quote = quotedText(words[from], quotes);
  if (spoken >= 0 && quote !== undefined) return cut(words, spoken, from + 1, quote);
  for (let start = spoken < 0 ? 0 : from; start < words.length; start++) {
    let end = start;
    while (end < words.length && end - start < 8 && isToken(words[end]!)) end++;
    const fields = words.slice(start, end);
    const stars = fields.filter((it) => it.includes('*')).length;
    if (spoken >= 0 ? fields.length > 0 : fields.length >= 5 && stars >= 2)
      return cut(words, spoken < 0 ? start : spoken, end, fields.join(' ').replace(/[;:.]+$/, ''));
    if (spoken >= 0) return undefined;
  }
  return undefined;
}

/** Removes the expression and the words that introduce it. */
function cut(words: readonly string[], from: number, to: number, cron: string): { words: string[]; cron: string } {
  let start = from;
  while (start > 0 && /^(?:with|on|using|at|by|via|per|the|a|this|to|following)$/.test(normalize([words[start - 1]!])))
    start--;
  return { words: [...words.slice(0, start), ...words.slice(to)], cron: cron.trim() };
}

const numbers: Record<string, number> = Object.fromEntries([
  ...['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((name, i) => [name, i]),
  ...['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, i) => [
    name,
    i + 1,
  ]),
]);

/** Replaces names by numbers and keeps ranges; undefined if the expression is not a valid cadence. */
export function normalizeCron(expression: string): string | undefined {
  if (!('fields' in readCronFields(expression))) return undefined;
  const normal = expression
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/[a-z]+/gi, (name) => String(numbers[name.slice(0, 3).toLowerCase()] ?? name));
  return 'fields' in readCronFields(normal) ? normal : undefined;
}

/** Times and days of a cron expression that runs at fixed times of day. */
export interface FixedTimes {
  times: ClockTime[];
  /** The three day fields of the expression. */
  days: string;
}

export function fixedTimes(expression: string): FixedTimes | undefined {
  const [minutes, hours, ...days] = expression.trim().split(/\s+/) as [string, string, ...string[]];
  if (days.length !== 3 || !/^[\d,]+$/.test(minutes) || !/^[\d,]+$/.test(hours)) return undefined;
  const times = hours
    .split(',')
    .flatMap((hour) => minutes.split(',').map((minute) => ({ hour: Number(hour), minute: Number(minute) })));
  return { times, days: days.join(' ') };
}

/** Day fields of a weekly cron expression with weekdays added and removed; undefined if it does not run on such weekdays. */
export function changeDays(
  fields: string,
  { add = '', remove = '' }: { add?: string; remove?: string },
): string | undefined {
  const field = /^\* \* ([\d,*-]+)$/.exec(fields)?.[1];
  if (field === undefined) return undefined;
  const now = field === '*' ? [0, 1, 2, 3, 4, 5, 6] : weekdaysOf(field);
  const [added, removed] = [add, remove].map((it) => (it === '' ? [] : weekdaysOf(it))) as [number[], number[]];
  if (add !== '' && removed.some((day) => !now.includes(day))) return undefined;
  const then = [...now.filter((day) => !removed.includes(day)), ...added];
  const left = new Set(then).size;
  return left === 0 ? undefined : `* * ${left === 7 ? '*' : weekdayField(then)}`;
}

/** A time of day, later by some milliseconds; undefined if it would be on another day. */
export function shifted({ hour, minute }: ClockTime, shift: number): ClockTime | undefined {
  const total = hour * 60 + minute + shift / 60_000;
  return total >= 0 && total < 1440 && Number.isInteger(total)
    ? { hour: Math.floor(total / 60), minute: total % 60 }
    : undefined;
}

/** Minutes since midnight. */
export function minutesOf({ hour, minute }: ClockTime): number {
  return hour * 60 + minute;
}

/** Minutes of the day at which an interval runs within a window. A step of minutes ends before the end, a step of hours at the end. */
export function timesWithin(
  from: number,
  to: number,
  step: number,
  minuteOf: readonly number[] = [from % 60],
): number[] {
  const end = to <= from ? to + 1440 : to;
  const times: number[] = [];
  for (const minute of minuteOf) {
    const first = from + ((minute - from + 1440) % 60);
    for (let at = first; at < end || (at === end && step % 60 === 0 && at < first + 1440); at += step) times.push(at);
  }
  return times.map((at) => at % 1440).sort((a, b) => a - b);
}

/** Minute and hour fields for exactly these times; undefined if hours differ in their minutes. */
export function timeFields(times: readonly number[], allDay: boolean): string | undefined {
  const minutes = [...new Set(times.map((at) => at % 60))].sort((a, b) => a - b);
  const hours = [...new Set(times.map((at) => Math.floor(at / 60)))].sort((a, b) => a - b);
  if (times.length === 0 || minutes.length * hours.length !== times.length) return undefined;
  return `${stepField(minutes, 60)} ${allDay ? stepField(hours, 24) : hourField(hours)}`;
}

function stepField(values: readonly number[], size: number): string {
  const step = size / values.length;
  if (values.length === 1 || !values.every((value, i) => value === i * step)) return values.join(',');
  return step === 1 ? '*' : `*/${step}`;
}

function hourField(hours: readonly number[]): string {
  const [first, last] = [hours[0]!, hours.at(-1)!];
  return hours.length > 1 && last - first === hours.length - 1 ? `${first}-${last}` : hours.join(',');
}
