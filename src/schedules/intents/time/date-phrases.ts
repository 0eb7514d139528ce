import { casual } from 'chrono-node/en';
import { localTime } from '../../cadence/zone-transitions.js';
import { numberOf, numberPattern } from '../number-words.js';
import type { DayPart } from './clock-time-phrases.js';
import { monthPattern, weekdayOf, weekdayPattern } from './weekdays-and-months.js';

/** A date in an utterance. The day depends on the zone, which may be known only later. */
export type DateExpression =
  /** `weekday`: the weekday said with it, which may not be the right one; `eve`: its midnight can mean the one that ends it. */
  (
    | { kind: 'phrase'; phrase: string; weekday?: number; eve?: true }
    /** `single`: said as "this Friday". */
    | { kind: 'weekday'; weekday: number; weeks: number; single?: true }
    /** "next Friday", which can mean two different days. */
    | { kind: 'next'; weekday: number }
    /** Two numbers, month first; `sure` if they cannot be read the other way round. */
    | { kind: 'slashes'; first: number; second: number; year?: number; sure?: true }
    | { kind: 'dayOfMonth'; day: number; next?: true; weekday?: number }
    | { kind: 'civil'; year: number; month: number; day: number }
    /** "next week", "30 February": not a single day. */
    | { kind: 'vague'; next?: 'week' | 'month' }
  ) & { part?: DayPart };

/** A calendar day, as the instant of its midnight in UTC. */
export type CivilDay = number;

/** The calendar day in a zone at an instant. */
export function dayIn(zone: string, instant: number): CivilDay {
  return Number(localTime(zone, instant).setZone('UTC', { keepLocalTime: true }).startOf('day'));
}

const part = '(?: (?<part>morning|afternoon|evening|night))?';
const lead = '(?<lead>on |for |this |coming |this coming |the coming )?';
const nth = '\\d{1,2}(?:st|nd|rd|th)?';
const phrases = [
  new RegExp(
    `^(?:on |for |later |sometime |some time )?(?<core>today|tonight|tomorrow|yesterday|the day after tomorrow|day after tomorrow)${part}$`,
  ),
  new RegExp(
    `^(?:on |for )?(?:(?<weekday>${weekdayPattern}) )?(?:the )?(?<core>(?:${monthPattern} (?:the )?(?:${nth}|first|second|third)|(?:${nth}|first|second|third)(?: of)? ${monthPattern})(?: (?:of )?20\\d\\d)?)${part}$`,
  ),
  /^(?:on |for |at )?(?<core>20\d\d-\d{1,2}-\d{1,2}|20\d\d\/\d{1,2}\/\d{1,2})$/,
  new RegExp(`^(?<core>in ${numberPattern} (?:days?|weeks?|fortnights?|months?))$`),
  new RegExp(`^(?<core>${numberPattern} (?:days?|weeks?|fortnights?|months?) from (?:now|today))$`),
];
/** Holidays with a fixed date. */
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
const ofMonth = new RegExp(
  `^(?:on |for )?(?:(?:the )?(?<weekday>${weekdayPattern}) )?(?<before>next month (?:on )?)?the (?<day>\\d{1,2})(?:st|nd|rd|th)(?: of (?:this|the|(?<next>next)) month)?$`,
);
const shortDay = /^(?:sun|mon|tues?|weds?|thurs?|thu|fri|sat)$/;

/** Reads a phrase that is a date; undefined if it is anything else. */
export function readDate(phrase: string): DateExpression | undefined {
  const found = weekday.exec(phrase)?.groups;
  if (found) {
    if (/^(?:tuess|.*[^s]s)$/.test(found.day!.replace(/^(?:tues|thurs|weds)$/, ''))) return undefined;
    if (shortDay.test(found.day!) && found.lead === undefined && found.week === undefined) return undefined;
    const weeks = found.week === ' next week' ? 1 : found.week === ' week' ? -1 : 0;
    if (weeks < 0) return undefined;
    const single = (/\b(?:this|coming)\b/.test(found.lead ?? '') || found.week !== undefined) && {
      single: true as const,
    };
    return withPart({ kind: 'weekday', weekday: weekdayOf(found.day!), weeks, ...single }, found.part);
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
    if (value > 31 || value < 1) return undefined;
    const weekday = date.weekday === undefined ? {} : { weekday: weekdayOf(date.weekday) };
    return { kind: 'dayOfMonth', day: value, ...(next && { next: true }), ...weekday };
  }
  if (
    /^(?:sometime |some time )?(?:next|this|in the next) (?:week|month|year|quarter|weekend)$|^(?:on|at|over) the weekend$|^in \w+ (?:business|working|work|week) ?days?$/.test(
      phrase,
    )
  )
    return vague(phrase);
  const today = /^(?:for |later |early |late )?this (morning|afternoon|evening)$/.exec(phrase)?.[1];
  return today === undefined ? worded(phrase) : withPart({ kind: 'phrase', phrase: 'today' }, today);
}

function vague(phrase: string): DateExpression {
  const next = /\bnext (week|month)$/.exec(phrase)?.[1] as 'week' | 'month' | undefined;
  return { kind: 'vague', ...(next && !/^in /.test(phrase) && { next }) };
}

function worded(phrase: string): DateExpression | undefined {
  const feast = namedDay.exec(phrase)?.groups;
  const fixed = feast && named.find(([pattern]) => pattern.test(feast.day!))?.[1];
  if (fixed !== undefined) {
    const eve = / eve$/.test(feast!.day!) && { eve: true as const };
    return withPart({ kind: 'phrase', phrase: fixed, ...eve }, feast!.part);
  }
  for (const pattern of phrases) {
    const groups = pattern.exec(phrase)?.groups;
    if (!groups) continue;
    const core = spelled(groups.core!);
    // The reference day does not matter for whether the phrase can be read.
    if (chronoDay(core, Date.UTC(2028, 0, 1)) === undefined) return { kind: 'vague' };
    const weekday = groups.weekday === undefined ? {} : { weekday: weekdayOf(groups.weekday) };
    return withPart({ kind: 'phrase', phrase: core, ...weekday }, core === 'tonight' ? 'night' : groups.part);
  }
  return undefined;
}

/** Rewrites a phrase for chrono. */
function spelled(core: string): string {
  if (core === 'day after tomorrow') return 'the day after tomorrow';
  return core
    .replace(/^(20\d\d)[-/](\d)(?=[-/])/, '$1-0$2')
    .replace(/ from today$/, ' from now')
    .replace(/(\S+) fortnights?/, (_, count: string) => `${2 * numberOf(count)} weeks`)
    .replace(/^in (.+?) (days?|weeks?|months?)$/, (_, count: string, unit: string) => `in ${numberOf(count)} ${unit}`);
}

function withPart<T extends DateExpression>(date: T, said: string | undefined): T {
  return said === undefined ? date : { ...date, part: said as DayPart };
}

function fromNumbers(
  first: number,
  second: number,
  yearText: string | undefined,
  sure = false,
): DateExpression | undefined {
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
 * The day that a phrase names, relative to `today`. Chrono uses the zone of the machine, so it gets noon of that day in that zone (every
 * zone has a noon each day), and only the calendar day of its result is used: the zone of the machine has no effect.
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
