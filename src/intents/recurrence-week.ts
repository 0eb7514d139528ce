import type { DayPart } from './clock.js';
import { weekdayOf, weekdayPattern } from './days.js';
import type { Recurrence } from './recurrence-type.js';
import { numberOf, numberPattern } from './words.js';

const often = '(?:every|each)(?: single)?';
const group = '(?:weekdays?|week days|weekends?|weekend days?|business days?|work(?:ing)? ?days?|school days?)';
const item = `(?:${group}|${weekdayPattern}(?: ?(?:-|–|to|through|thru|till|until) ?${weekdayPattern})?)`;
const weekPattern = new RegExp(
  `^(?<lead>every week on|each week on|once a week on|weekly on|${often}|on|from)?(?: ?the)? ?(?<days>${item}(?:(?: and | or | & |, ?| |/|\\+)(?:on )?(?:${often} )?${item}){0,6}|day)(?: (?<part>morning|afternoon|evening|night)s?)?(?: (?:except|but(?: not)?|other than|excluding|apart from)(?: for)?(?: on)? (?<except>.+))?$`,
);
const otherPattern = new RegExp(
  `^(?:(?:every|each) (?:other|second|2nd|alternate|two|2)(?: (?:weeks?|wks?))?(?: on)?(?: an?)?|(?:bi-?weekly|fortnightly|every fortnight) on|(?:on )?alternate|(?:every|each) (?<weeks>${numberPattern}) weeks on) (?<day>${weekdayPattern})$`,
);

/** Days of the week: `every Monday and Thursday`, `weekdays except Friday`, `every other Tuesday`. */
export function ofWeek(phrase: string): Recurrence | undefined {
  const other = otherPattern.exec(phrase)?.groups;
  if (other)
    return {
      every: { count: other.weeks === undefined ? 2 : numberOf(other.weeks), unit: 'week' },
      weekdays: String(weekdayOf(other.day!)),
    };
  const found = weekPattern.exec(phrase)?.groups;
  if (!found) return undefined;
  const { lead, days, part, except } = found;
  if (days === 'day' && (except === undefined || !/^(?:every|each)/.test(lead ?? ''))) return undefined;
  const recurs =
    (lead !== undefined && lead !== 'on' && lead !== 'from') ||
    except !== undefined ||
    !single(days!) ||
    (part !== undefined && /s(?: |$)/.test(phrase.slice(phrase.indexOf(part))));
  if (!recurs) return undefined;
  const field = days === 'day' ? '*' : weekField(days!);
  const extra = part === undefined ? {} : { part: part as DayPart };
  if (except === undefined) return { weekdays: field, ...extra };
  if (/holidays?$/.test(except))
    return { weekdays: field === '*' ? '0-6' : field, beyond: 'Holiday exceptions', ...extra };
  if (!new RegExp(`^${item}(?:(?: and | or | & | )${item})*$`).test(except)) return undefined;
  const without = expand(weekField(except));
  const left = (field === '*' ? [0, 1, 2, 3, 4, 5, 6] : expand(field)).filter((day) => !without.includes(day));
  return left.length === 0 ? undefined : { weekdays: compact(left), ...extra };
}

/** One day in the singular: a date, not a habit. */
function single(days: string): boolean {
  return new RegExp(`^${weekdayPattern}$`).test(days) && !/s$/.test(days.replace(/^(?:tues|thurs|weds)$/, ''));
}

function weekField(days: string): string {
  const items = days.match(new RegExp(item, 'g')) ?? [];
  const fields = items.map((text) => {
    if (/^(?:weekdays?|week days|business|work|school)/.test(text)) return '1-5';
    if (/^weekend/.test(text)) return '0,6';
    const [from, to] = text.split(/ ?(?:-|–|\bto\b|\bthrough\b|\bthru\b|\btill\b|\buntil\b) ?/).map(weekdayOf) as [
      number,
      number?,
    ];
    if (to === undefined) return String(from);
    return from < to ? `${from}-${to}` : compact(range(from, to));
  });
  if (fields.length === 1) return fields[0]!;
  const values = fields.flatMap(expand);
  return values.length === new Set(values).size && fields.every((it) => !it.includes('-'))
    ? [...values].sort((a, b) => a - b).join(',')
    : compact(values);
}

function range(from: number, to: number): number[] {
  const out: number[] = [];
  for (let day = from; ; day = (day + 1) % 7) {
    out.push(day);
    if (day === to || out.length > 7) return [...new Set(out)];
  }
}

/** The days of a cron field. */
export function expand(field: string): number[] {
  return field.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number) as [number, number?];
    return Array.from({ length: to! - from + 1 }, (_, i) => (from + i) % 7);
  });
}

/** Days as a cron field, with a range where three or more follow each other. */
export function compact(days: readonly number[]): string {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const day of sorted) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]}-${run.at(-1)}`] : run.map(String))).join(',');
}
