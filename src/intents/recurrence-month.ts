import { monthDayOf, monthDayPattern, monthOf, monthPattern, rankOf, weekdayOf, weekdayPattern } from './days.js';
import type { Recurrence } from './recurrence-type.js';
import { numberOf, numberPattern } from './words.js';

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

/** Days of the month: `on the 1st and 15th of each month`, `the first Monday of the month`. */
export function ofMonth(phrase: string): Recurrence | undefined {
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
  `^(?:(?:every|each|on) (?<what>day|weekdays?|weekends?)|(?<days>weekdays|weekends))(?: (?:in|of|during|throughout))? (?:(?:every|each) )?(?<months>${monthPattern}(?:(?: and | & | )${monthPattern})*)$`,
);
const spanPattern =
  /^(?:on |from |between )?(?:the )?(?<from>\d{1,2})(?:st|nd|rd|th)? (?:to|through|and|-|–) (?:the )?(?<to>\d{1,2})(?:st|nd|rd|th)? (?:of|in) (?:every|each|the) month$/;

/** Days of some months, or a stretch of days of every month: `every day in December`, `between the 1st and the 5th of each month`. */
export function inMonths(phrase: string): Recurrence | undefined {
  const found = monthsPattern.exec(phrase)?.groups;
  if (found) {
    const months = [...new Set(found.months!.match(new RegExp(monthPattern, 'g'))!.map(monthOf))].sort((a, b) => a - b);
    const what = (found.what ?? found.days)!;
    const days = what === 'day' ? '*' : /^weekend/.test(what) ? '0,6' : '1-5';
    return { days: `* ${months.join(',')} ${days}` };
  }
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

/** A day of the year: `every December 24th`. */
export function ofYear(phrase: string): Recurrence | undefined {
  const found = yearPattern.exec(phrase)?.groups;
  if (!found) return undefined;
  const month = monthOf((found.month ?? found.month2 ?? found.month3 ?? found.month4)!);
  const day = monthDayOf((found.day ?? found.day2 ?? found.day3 ?? found.day4)!);
  return Number.isNaN(day) || day > [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!
    ? undefined
    : { yearDay: { month, day } };
}
