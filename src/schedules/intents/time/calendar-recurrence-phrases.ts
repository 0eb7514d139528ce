import { numberOf, numberPattern } from '../number-words.js';
import type { DayPart } from './clock-time-phrases.js';
import { readDate } from './date-phrases.js';
import type { Recurrence } from './time-expression.js';
import {
  monthDayOf,
  monthDayPattern,
  monthOf,
  monthPattern,
  rankOf,
  weekdayOf,
  weekdayPattern,
} from './weekdays-and-months.js';

const often = '(?:every|each)(?: single)?';
const group = '(?:weekdays?|week days|weekends?|weekend days?|business days?|work(?:ing)? ?days?)';
const item = `(?:${group}|${weekdayPattern}(?: ?(?:-|–|to|through|thru|till|until) ?${weekdayPattern})?)`;
const weekPattern = new RegExp(
  `^(?<lead>every week on|each week on|once a week on|weekly on|${often}|on|from)?(?: ?the)? ?(?<days>${item}(?:(?: and | & |, ?| |/|\\+)(?:on )?(?:${often} )?${item}){0,6}|day)(?: (?<part>morning|afternoon|evening|night)s?)?(?: (?:except|but(?: not)?|other than|excluding|apart from|besides)(?: for)?(?: on)? (?<except>.+))?$`,
);
const otherPattern = new RegExp(
  `^(?:(?:every|each) (?:other|second|2nd|alternate|two|2)(?: (?:weeks?|wks?))?(?: on)?(?: an?)?|(?:bi-?weekly|fortnightly|every fortnight) on|(?:on )?alternate|(?:every|each) (?<weeks>${numberPattern}) weeks on) (?<day>${weekdayPattern})$`,
);

const dayLetters: Record<string, number> = { m: 1, t: 2, tu: 2, w: 3, th: 4, r: 4, f: 5, sa: 6, su: 0 };

/** Reads weekdays by their letters: `M/W/F`, `Tu/Th`, `MWF`. */
function ofLetters(phrase: string): Recurrence | undefined {
  const text = /^(?:on |every |each )?(?:([a-z]{1,2}(?:\/[a-z]{1,2}){1,6})|(mwf|tth|tuth|mtwrf|mtwthf))$/.exec(phrase);
  const days = (text?.[1]?.split('/') ?? text?.[2]?.match(/th|tu|./g))?.map((letters) => dayLetters[letters]);
  return days?.every((day) => day !== undefined) ? { weekdays: weekdayField(days as number[]) } : undefined;
}

/** Reads an exception: `except Friday`, `but not in August`. Exceptions that cadences cannot express are marked as such. */
function exception(phrase: string): Recurrence | undefined {
  const said =
    /^(?:except|but not|not(?= on | in )|other than|excluding|apart from|besides)(?: for)?(?: on)?(?: the)? (.+)$/.exec(
      phrase,
    )?.[1];
  if (said === undefined || /^only\b/.test(said)) return undefined;
  if (/holidays?$/.test(said)) return { beyond: 'Holiday exceptions' };
  if (new RegExp(`^${item}(?:(?: and | or | & | )${item})*$`).test(said)) return { except: weekField(said) };
  const months = readMonthRecurrence(said.replace(new RegExp(`^(?=${monthPattern}$)`), 'in '));
  if (months) return { months: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].filter((month) => !months.includes(month)) };
  return readDate(said) || readDate(`on ${said}`) || readDate(`on the ${said}`) || readMonthDayRecurrence(`the ${said}`)
    ? { beyond: 'Exceptions for single days' }
    : undefined;
}

/** Reads weekdays: `every Monday and Thursday`, `weekdays except Friday`, `every other Tuesday`. */
export function readWeekdayRecurrence(phrase: string): Recurrence | undefined {
  const short = ofLetters(phrase) ?? exception(phrase);
  if (short) return short;
  const other = otherPattern.exec(phrase)?.groups;
  if (other)
    return {
      every: { count: other.weeks === undefined ? 2 : numberOf(other.weeks), unit: 'week' },
      weekdays: String(weekdayOf(other.day!)),
    };
  const found = weekPattern.exec(phrase)?.groups;
  if (!found) return undefined;
  const { lead, days, part, except } = found;
  // In "happy Friday every Friday" the first day is part of the text.
  if (!/^(?:every|each)/.test(lead ?? '') && /\w+days? (?:every|each) /.test(days!)) return undefined;
  if (days === 'day' && (except === undefined || !/^(?:every|each)/.test(lead ?? ''))) return undefined;
  const recurs =
    (lead !== undefined && lead !== 'on' && lead !== 'from') ||
    except !== undefined ||
    !(single(days!) || (/^weekend$/.test(days!) && !/^(?:every|each)/.test(lead ?? ''))) ||
    (part !== undefined && /s(?: |$)/.test(phrase.slice(phrase.indexOf(part))));
  if (!recurs) return undefined;
  const field = days === 'day' ? '*' : weekField(days!);
  const extra = part === undefined ? {} : { part: part as DayPart };
  const without = except === undefined ? {} : exception(`except ${except}`);
  const all: Recurrence = field === '*' ? { every: { count: 1, unit: 'day' } } : { weekdays: field };
  return without && withoutExceptions({ ...all, ...without, ...extra });
}

/** Applies exceptions by weekday to the days of a recurrence; undefined if no day is left. */
export function withoutExceptions({ except, ...rest }: Recurrence): Recurrence | undefined {
  if (except === undefined) return rest;
  const { every, ...others } = rest;
  const without = weekdaysOf(except);
  const all = rest.weekdays === undefined ? [0, 1, 2, 3, 4, 5, 6] : weekdaysOf(rest.weekdays);
  const left = all.filter((day) => !without.includes(day));
  if (left.length === 0) return undefined;
  return { ...(every?.unit === 'day' ? others : rest), weekdays: weekdayField(left) };
}

/** Whether it is one weekday in the singular, which is a date and not a recurrence. */
function single(days: string): boolean {
  return new RegExp(`^${weekdayPattern}$`).test(days) && !/s$/.test(days.replace(/^(?:tues|thurs|weds)$/, ''));
}

function weekField(days: string): string {
  const items = days.match(new RegExp(item, 'g')) ?? [];
  const fields = items.map((text) => {
    if (/^(?:weekdays?|week days|business|work)/.test(text)) return '1-5';
    if (/^weekend/.test(text)) return '0,6';
    const [from, to] = text.split(/ ?(?:-|–|\bto\b|\bthrough\b|\bthru\b|\btill\b|\buntil\b) ?/).map(weekdayOf) as [
      number,
      number?,
    ];
    if (to === undefined) return String(from);
    return from < to ? `${from}-${to}` : weekdayField(range(from, to));
  });
  if (fields.length === 1) return fields[0]!;
  const values = fields.flatMap(weekdaysOf);
  return values.length === new Set(values).size && fields.every((it) => !it.includes('-'))
    ? [...values].sort((a, b) => a - b).join(',')
    : weekdayField(values);
}

function range(from: number, to: number): number[] {
  const out: number[] = [];
  for (let day = from; ; day = (day + 1) % 7) {
    out.push(day);
    if (day === to || out.length > 7) return [...new Set(out)];
  }
}

/** Weekdays of a cron field. */
export function weekdaysOf(field: string): number[] {
  return field.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number) as [number, number?];
    return Array.from({ length: to! - from + 1 }, (_, i) => (from + i) % 7);
  });
}

/** Weekdays as a cron field, with a range for three or more in a row. */
export function weekdayField(days: readonly number[]): string {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const day of sorted) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]}-${run.at(-1)}`] : run.map(String))).join(',');
}

const dayList = `(?:the )?(?:day )?${monthDayPattern}(?: day)?(?:(?: and | & |, ?| )(?:on )?(?:the )?${monthDayPattern})*`;
const ofTheMonth = '(?:(?:of|in) (?:every|each|the|a|any) month|of the months|every month|each month|monthly)';
const monthPatterns = [
  new RegExp(`^(?:on |every |each )?(?<days>${dayList}) ${ofTheMonth}$`),
  new RegExp(`^(?:every month|each month|monthly|once a month)(?: on| in)? (?<days>${dayList})$`),
  new RegExp(`^(?:every|each|on(?: every| each)?) (?<days>${dayList}(?: and | & |, ?)(?:the )?${monthDayPattern})$`),
  /^(?:every|each) (?:the )?(?<days>\d{1,2}(?:st|nd|rd|th))$/,
];
const quarterPattern =
  /^(?:on |at )?(?:the )?(?:first|1st)(?: day)? of (?:every|each|the) quarter$|^(?:every quarter|quarterly)(?: on the (?<day>\d{1,2}(?:st|nd|rd|th)|first)(?: day)?)$/;
const rank = '(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)';
const ranks = `${rank}(?:(?: and | & | or | )(?:the )?${rank})*`;
const working = '(?:weekday|business day|working day|work day|workday)';
const nthPatterns = [
  new RegExp(
    `^(?:on |every |each )*(?:the )?(?<rank>${ranks}) (?<day>${weekdayPattern}|${working}) (?:of |in )?(?:every month|each month|the month|a month|month|monthly)$`,
  ),
  new RegExp(
    `^(?:every month|each month|monthly|once a month)(?: on)?(?: the)? (?<rank>${ranks}) (?<day>${weekdayPattern}|${working})$`,
  ),
  new RegExp(`^(?:every|each) (?<rank>first|1st|third|3rd|fourth|4th|last) (?<day>${weekdayPattern})$`),
];
const lastPattern =
  /^(?:on |at |every |each )*(?:the )?(?:(?:very )?last day|end) of (?:every|each|the|a)? ?month$|^(?:at |on |every |each )*(?:the )?month[- ]?end$|^(?:every month|each month|monthly)(?: on| at)? the (?:last day|end)$/;

const severalMonths = new RegExp(
  `^(?:every|each) (?:other|second|2nd|(?<count>${numberPattern})) months?(?: on)? (?<days>${dayList})$`,
);

function daysIn(text: string): number[] {
  const days = (text.match(new RegExp(monthDayPattern, 'g')) ?? []).map(monthDayOf).filter((day) => !Number.isNaN(day));
  return [...new Set(days)].sort((a, b) => a - b);
}

/** Reads days of the month: `on the 1st and 15th of each month`, `the first Monday of the month`. */
export function readMonthDayRecurrence(phrase: string): Recurrence | undefined {
  const start = /^(?:at |on )?(?:the )?(?:start|beginning) of (?:every|each|the|a) (week|month|quarter)$/.exec(
    phrase,
  )?.[1];
  if (start !== undefined)
    return { every: { count: 1, unit: start as 'month' }, ...(start !== 'week' && { monthDays: [1] }) };
  if (lastPattern.test(phrase)) return { lastDay: true };
  for (const pattern of nthPatterns) {
    const found = pattern.exec(phrase)?.groups;
    if (!found) continue;
    const said = found.rank!.match(new RegExp(rank, 'g'))!.map(rankOf);
    const anyDay = new RegExp(`^${working}$`).test(found.day!);
    return { nth: { ranks: said, weekday: anyDay ? 7 : weekdayOf(found.day!) } };
  }
  const several = severalMonths.exec(phrase)?.groups;
  if (several) {
    const count = several.count === undefined ? 2 : numberOf(several.count);
    return { every: { count, unit: 'month' }, monthDays: daysIn(several.days!) };
  }
  const quarter = quarterPattern.exec(phrase);
  if (quarter)
    return {
      every: { count: 1, unit: 'quarter' },
      monthDays: [quarter.groups?.day === undefined ? 1 : monthDayOf(quarter.groups.day)],
    };
  for (const pattern of monthPatterns) {
    const days = pattern.exec(phrase)?.groups?.days;
    const list = days?.match(new RegExp(monthDayPattern, 'g'))?.map(monthDayOf);
    if (list?.every((day) => !Number.isNaN(day))) return { monthDays: [...new Set(list)].sort((a, b) => a - b) };
  }
  return undefined;
}

const monthsPattern = new RegExp(
  `^(?:but )?(?:only )?(?:in|during|throughout|of) (?:(?:every|each) )?(?<months>${monthPattern}(?:(?: and | & | )${monthPattern})*)(?: only)?$|^(?:from |between )(?<from>${monthPattern}) (?:to|through|until|till|and|-|–) (?<to>${monthPattern})$`,
);

/** Reads months: `in July and August`, `from June to August`. */
export function readMonthRecurrence(phrase: string): number[] | undefined {
  const { months, from, to } = monthsPattern.exec(phrase)?.groups ?? {};
  if (months !== undefined)
    return [...new Set(months.match(new RegExp(monthPattern, 'g'))!.map(monthOf))].sort((a, b) => a - b);
  if (from === undefined) return undefined;
  const [first, last] = [monthOf(from), monthOf(to!)];
  const length = ((last - first + 12) % 12) + 1;
  return Array.from({ length }, (_, i) => ((first - 1 + i) % 12) + 1).sort((a, b) => a - b);
}

const spanPattern =
  /^(?:on |from |between )?(?:the )?(?<from>\d{1,2})(?:st|nd|rd|th)? (?:to|through|and|-|–) (?:the )?(?<to>\d{1,2})(?:st|nd|rd|th)? (?:of|in) (?:every|each|the) month$/;

/** Longest length of each month. */
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const monthsDay = new RegExp(
  `^(?:on |every )?(?:the )?(?<day>${monthDayPattern}) (?:of|in) (?<months>${monthPattern}(?:(?: and | & | )${monthPattern})+)$`,
);

/** Reads a day of several months: `on the 15th of March, June and December`. */
export function readDayOfMonths(phrase: string): Recurrence | undefined {
  const { day = '', months = '' } = monthsDay.exec(phrase)?.groups ?? {};
  const date = monthDayOf(day);
  const said = (months.match(new RegExp(monthPattern, 'g')) ?? []).map(monthOf);
  const exists = said.length > 0 && said.every((month) => date <= lengths[month - 1]!);
  return exists ? { days: `${date} ${weekdayField(said)} *` } : undefined;
}

/** Reads a range of days in every month: `between the 1st and the 5th of each month`. */
export function readDayRange(phrase: string): Recurrence | undefined {
  const span =
    /^(?:from|between)/.test(phrase) || / (?:to|through|-|–) /.test(phrase)
      ? spanPattern.exec(phrase)?.groups
      : undefined;
  const [from, to] = [Number(span?.from), Number(span?.to)];
  return from >= 1 && to <= 31 && from < to ? { days: `${from}-${to} * *` } : undefined;
}

const yearPattern = new RegExp(
  `^(?:(?:every year|each year|yearly|annually|once a year)(?: on)?|every|each)(?: the)? (?:(?<month>${monthPattern})(?: the)? (?<day>${monthDayPattern})|(?<day2>${monthDayPattern})(?: of)? (?<month2>${monthPattern}))$|^(?:on )?(?:the )?(?:(?<month3>${monthPattern})(?: the)? (?<day3>${monthDayPattern})|(?<day4>${monthDayPattern})(?: of)? (?<month4>${monthPattern})) (?:every|each|of every|of each) year$`,
);

/** Reads a day of the year: `every December 24th`. */
export function readYearlyRecurrence(phrase: string): Recurrence | undefined {
  const found = yearPattern.exec(phrase)?.groups;
  if (!found) return undefined;
  const month = monthOf((found.month ?? found.month2 ?? found.month3 ?? found.month4)!);
  const day = monthDayOf((found.day ?? found.day2 ?? found.day3 ?? found.day4)!);
  return Number.isNaN(day) || day > lengths[month - 1]! ? undefined : { yearDay: { month, day } };
}
