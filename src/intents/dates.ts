import { casual } from 'chrono-node/en';
import { day } from '../scheduling/cadence/cadence.js';
import { offsetAt } from '../scheduling/cadence/zone.js';
import type { DayPart } from './clock.js';
import { monthPattern, weekdayOf, weekdayPattern } from './days.js';
import { numberOf, numberPattern } from './words.js';

/** A date as it was said; which day it is depends on the zone, which may come later. */
export type SaidDate = (
  | { kind: 'phrase'; phrase: string }
  | { kind: 'weekday'; weekday: number; weeks: number }
  /** "next Friday": people mean two different days. */
  | { kind: 'next'; weekday: number }
  /** Two numbers, the month first in the first reading; `sure` when there is no second. */
  | { kind: 'slashes'; first: number; second: number; year?: number; sure?: true }
  | { kind: 'dayOfMonth'; day: number; next?: true }
  | { kind: 'civil'; year: number; month: number; day: number }
  /** "next week", "30 February": no day at all. */
  | { kind: 'vague' }
) & { part?: DayPart };

/** A day of the calendar as the clock's time at its midnight, read as if the clock stood in UTC. */
export type CivilDay = number;

/** The day it is in a zone. */
export function dayIn(zone: string, instant: number): CivilDay {
  return Math.floor((instant + offsetAt(zone, instant)) / day) * day;
}

const part = '(?: (?<part>morning|afternoon|evening|night))?';
const lead = '(?<lead>on |for |this |coming |this coming |the coming )?';
const nth = '\\d{1,2}(?:st|nd|rd|th)?';
const phrases = [
  new RegExp(
    `^(?:on |for |later |sometime |some time )?(?<core>today|tonight|tomorrow|yesterday|the day after tomorrow|day after tomorrow)${part}$`,
  ),
  new RegExp(
    `^(?:on |for )?(?:${weekdayPattern} )?(?:the )?(?<core>(?:${monthPattern} (?:the )?(?:${nth}|first|second|third)|(?:${nth}|first|second|third)(?: of)? ${monthPattern})(?: (?:of )?20\\d\\d)?)${part}$`,
  ),
  /^(?:on |for |at )?(?<core>20\d\d-\d{1,2}-\d{1,2}|20\d\d\/\d{1,2}\/\d{1,2})$/,
  new RegExp(`^(?<core>in ${numberPattern} (?:days?|weeks?|months?))$`),
  new RegExp(`^(?<core>${numberPattern} (?:days?|weeks?|months?) from (?:now|today))$`),
];
/** Days that have a name, and the same date every year. */
const named: [RegExp, string][] = [
  [/^christmas(?: day)?$|^xmas$/, 'december 25'],
  [/^christmas eve$|^xmas eve$/, 'december 24'],
  [/^new year(?:'?s)?(?: day)?$/, 'january 1'],
  [/^new year(?:'?s)? eve$/, 'december 31'],
  [/^halloween$/, 'october 31'],
  [/^valentine(?:'?s)?(?: day)?$/, 'february 14'],
];
const namedDay = new RegExp(`^(?:(?:on|for|at|this) )?(?<day>[a-z' ]{4,20}?)${part}$`);
const weekday = new RegExp(`^${lead}(?<day>${weekdayPattern})(?<week> next week| this week| week)?${part}$`);
const nextWeek = new RegExp(`^(?:on )?next week(?: on)? (?<day>${weekdayPattern})${part}$`);
const nextDay = new RegExp(`^(?:(?:on |for )?next|(?:a|one) week from(?: this)?) (?<day>${weekdayPattern})${part}$`);
const slashes = /^(?:on |for )?(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?$/;
const dots = /^(?:on |for )?(\d{1,2})\.(\d{1,2})\.(\d{4})?$/;
const ofMonth =
  /^(?:on |for )?(?<before>next month (?:on )?)?the (?<day>\d{1,2})(?:st|nd|rd|th)(?: of (?:this|the|(?<next>next)) month)?$/;
const shortDay = /^(?:sun|mon|tues?|weds?|thurs?|thu|fri|sat)$/;

/** Reads a date that stands alone in a phrase; undefined if the phrase is anything else. */
export function readDate(phrase: string): SaidDate | undefined {
  const found = weekday.exec(phrase)?.groups;
  if (found) {
    if (/^(?:tuess|.*[^s]s)$/.test(found.day!.replace(/^(?:tues|thurs|weds)$/, ''))) return undefined;
    if (shortDay.test(found.day!) && found.lead === undefined && found.week === undefined) return undefined;
    const weeks = found.week === ' next week' ? 1 : found.week === ' week' ? -1 : 0;
    if (weeks < 0) return undefined;
    return withPart({ kind: 'weekday', weekday: weekdayOf(found.day!), weeks }, found.part);
  }
  const week = nextWeek.exec(phrase)?.groups;
  if (week) return withPart({ kind: 'weekday', weekday: weekdayOf(week.day!), weeks: 1 }, week.part);
  const next = nextDay.exec(phrase)?.groups;
  if (next) return withPart({ kind: 'next', weekday: weekdayOf(next.day!) }, next.part);
  const numbers = slashes.exec(phrase);
  if (numbers) return fromNumbers(Number(numbers[1]), Number(numbers[2]), numbers[3]);
  const dotted = dots.exec(phrase);
  if (dotted) return fromNumbers(Number(dotted[2]), Number(dotted[1]), dotted[3], true);
  const date = ofMonth.exec(phrase)?.groups;
  if (date) {
    const next = (date.next ?? date.before) !== undefined;
    const value = Number(date.day);
    return value > 31 || value < 1 ? undefined : { kind: 'dayOfMonth', day: value, ...(next && { next: true }) };
  }
  if (/^(?:sometime |some time )?(?:next|this|in the next) (?:week|month|year|quarter|weekend)$/.test(phrase))
    return { kind: 'vague' };
  return worded(phrase);
}

function worded(phrase: string): SaidDate | undefined {
  const feast = namedDay.exec(phrase)?.groups;
  const fixed = feast && named.find(([pattern]) => pattern.test(feast.day!))?.[1];
  if (fixed !== undefined) return withPart({ kind: 'phrase', phrase: fixed }, feast!.part);
  for (const pattern of phrases) {
    const groups = pattern.exec(phrase)?.groups;
    if (!groups) continue;
    const core = spelled(groups.core!);
    // Any reference will do to learn whether it can be read at all.
    if (chronoDay(core, Date.UTC(2028, 0, 1)) === undefined) return { kind: 'vague' };
    return withPart({ kind: 'phrase', phrase: core }, core === 'tonight' ? 'night' : groups.part);
  }
  return undefined;
}

/** As chrono knows it. */
function spelled(core: string): string {
  if (core === 'day after tomorrow') return 'the day after tomorrow';
  return core
    .replace(/^(20\d\d)[-/](\d)(?=[-/])/, '$1-0$2')
    .replace(/ from today$/, ' from now')
    .replace(/^in (.+?) (days?|weeks?|months?)$/, (_, count: string, unit: string) => `in ${numberOf(count)} ${unit}`);
}

function withPart<T extends SaidDate>(date: T, said: string | undefined): T {
  return said === undefined ? date : { ...date, part: said as DayPart };
}

function fromNumbers(first: number, second: number, yearText: string | undefined, sure = false): SaidDate | undefined {
  const year = yearText === undefined ? undefined : Number(yearText) + (yearText.length === 2 ? 2000 : 0);
  const possible = [isDate(first, second), !sure && isDate(second, first)];
  if (!possible[0] && !possible[1]) return undefined;
  const [month, date] = possible[0] ? [first, second] : [second, first];
  const only = !possible[0] || !possible[1] || first === second;
  return {
    kind: 'slashes',
    first: month,
    second: date,
    ...(year !== undefined && { year }),
    ...(only && { sure: true }),
  };
}

function isDate(month: number, date: number): boolean {
  return month >= 1 && month <= 12 && date >= 1 && date <= [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

/**
 * The day a phrase names, counted from `today`. Chrono reads the calendar of the machine's own zone, so it is told that it is noon of
 * that day there (every zone has a noon each day), and nothing but the calendar day of its answer is used: the machine's zone never matters.
 */
export function chronoDay(phrase: string, today: CivilDay): CivilDay | undefined {
  const at = new Date(today);
  const noon = new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), 12);
  const results = casual.parse(phrase, noon, { forwardDate: true });
  const [result] = results;
  if (results.length !== 1 || !result || result.end) return undefined;
  if (result.text.length < phrase.replace(/^the /, '').length) return undefined;
  const [year, month, date] = [result.start.get('year'), result.start.get('month'), result.start.get('day')];
  if (year === null || month === null || date === null) return undefined;
  return Date.UTC(year, month - 1, date);
}
