import { numberOf, numberPattern } from '../number-words.js';
import {
  readDayOfMonths,
  readDayRange,
  readMonthDayRecurrence,
  readMonthRecurrence,
  readWeekdayRecurrence,
  readYearlyRecurrence,
} from './calendar-recurrence-phrases.js';
import { asTimeRange, type DayPart, readClock } from './clock-time-phrases.js';
import type { Recurrence, Unit } from './time-expression.js';
import { rankOf } from './weekdays-and-months.js';

const each = '(?:every|each|once every|once each|once an?|once per|per|an?)';
const often = '(?:every|each)(?: single)?';
const units: [RegExp, Unit][] = [
  [/^(?:s|secs?|seconds?)$/, 'second'],
  [/^(?:m|mins?|minutes?)$/, 'minute'],
  [/^(?:h|hrs?|hours?)$/, 'hour'],
  [/^(?:d|days?)$/, 'day'],
  [/^(?:w|wks?|weeks?)$/, 'week'],
  [/^(?:months?)$/, 'month'],
  [/^(?:quarters?)$/, 'quarter'],
  [/^(?:y|yrs?|years?)$/, 'year'],
];
const unitOf = (text: string): Unit | undefined => units.find(([pattern]) => pattern.test(text))?.[1];
const unitPattern =
  '(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|months?|quarters?|y|yrs?|years?)';

/** Adverbs that mean "twice a" to some people and "every two" to others. */
export const doubtfulAdverb = /^(?:bi-?weekly|bi-?monthly|bi-?annually|bi-?yearly|semi-?weekly)$/;

const adverbs: Record<string, Recurrence> = {
  hourly: { every: { count: 1, unit: 'hour' } },
  daily: { every: { count: 1, unit: 'day' } },
  nightly: { every: { count: 1, unit: 'day' }, part: 'night' },
  weekly: { every: { count: 1, unit: 'week' } },
  fortnightly: { every: { count: 2, unit: 'week' } },
  monthly: { every: { count: 1, unit: 'month' } },
  quarterly: { every: { count: 1, unit: 'quarter' } },
  yearly: { every: { count: 1, unit: 'year' } },
  annually: { every: { count: 1, unit: 'year' } },
};

/** Reads a phrase about recurrence; undefined if it is anything else. */
export function readRecurrence(spoken: string): Recurrence | undefined {
  const phrase = spoken
    .replace(/^(?:for|on|(?:but )?only|(?:but )?only on|on only) (?=every\b|each\b|\w+days\b)/, '')
    .replace(/^each and every\b|^(?:all|any) (?=\w+days?\b)/, (lead) => (lead.endsWith(' ') ? 'every ' : 'every'))
    .replace(/^(?:all|on all) (?:the )?(?=days$|weekdays$)/, (_, at: number) => (at === 0 ? 'every ' : ''))
    .replace(/^every days$/, 'every day')
    .replace(/\bmo?-fr?\b/, 'mon-fri');
  return (
    adverb(phrase) ??
    stretch(phrase) ??
    readWeekdayRecurrence(phrase) ??
    readMonthDayRecurrence(phrase) ??
    inMonths(phrase) ??
    readDayRange(phrase) ??
    readDayOfMonths(phrase) ??
    readYearlyRecurrence(phrase) ??
    ofHour(phrase) ??
    window(phrase) ??
    counted(phrase)
  );
}

/** Reads months, alone or after the days: `in December`, `every Monday in December`, `weekdays from June to August`. */
function inMonths(phrase: string): Recurrence | undefined {
  const months = readMonthRecurrence(phrase);
  if (months) return { months };
  for (const link of phrase.matchAll(/ (?=(?:but )?(?:only )?(?:in|of|during|throughout|from|between) )/g)) {
    const within = readMonthRecurrence(phrase.slice(link.index + 1));
    const days = within && readRecurrence(phrase.slice(0, link.index));
    if (days && !days.months && !days.yearDay) return { ...days, months: within };
  }
  return undefined;
}

function adverb(phrase: string): Recurrence | undefined {
  const bare = phrase.replace(/^on an? (\S+) basis$/, '$1');
  return Object.hasOwn(adverbs, bare) ? { ...adverbs[bare]! } : undefined;
}

const stretchPattern = new RegExp(
  `^(?<lead>${each})(?: single)? (?:(?<other>other|second|third|fourth|2nd|3rd|4th) )?(?:(?<count>${numberPattern})[ -]?)?(?<unit>${unitPattern}|fortnights?)(?<half> and a half)?(?<onThe> on the hour)?$`,
);
/** `every 1h30m`, `every 2 hours and 30 minutes`. */
const mixedPattern =
  /^(?:every|each) (?<hours>\d{1,4}) ?(?:h|hrs?|hours?)(?: and)? ?(?<minutes>\d{1,4}) ?(?:m|mins?|minutes?)$/;
const partial = new RegExp(`^${often} (?<part>morning|afternoon|evening|night)$`);
const fractions: Record<string, number> = {
  'half hour': 1800,
  'half an hour': 1800,
  'half-hour': 1800,
  'quarter hour': 900,
  'quarter of an hour': 900,
  'quarter-hour': 900,
  'couple of hours': 7200,
  'couple hours': 7200,
  'couple of minutes': 120,
  'couple of days': 172800,
  'hour and a half': 5400,
};

function stretch(phrase: string): Recurrence | undefined {
  const whole = new RegExp(`^${often} (.+)$`).exec(phrase)?.[1];
  if (whole !== undefined && Object.hasOwn(fractions, whole))
    return { every: { count: fractions[whole]!, unit: 'second' } };
  const part = partial.exec(phrase)?.groups?.part;
  if (part !== undefined) return { every: { count: 1, unit: 'day' }, part: part as DayPart };
  const mixed = mixedPattern.exec(phrase)?.groups;
  if (mixed) return { every: { count: Number(mixed.hours) * 60 + Number(mixed.minutes), unit: 'minute' } };
  const found = stretchPattern.exec(phrase)?.groups;
  if (!found) return undefined;
  const { lead, other, count, unit: word, half, onThe } = found;
  // "a day" alone is not a recurrence.
  if (/^an?$/.test(lead!)) return undefined;
  const fortnight = word!.startsWith('fortnight');
  const unit = fortnight ? 'week' : unitOf(word!)!;
  if (word!.length === 1 && (count === undefined || !/\d/.test(count))) return undefined;
  const base =
    other === undefined ? (count === undefined ? 1 : numberOf(count)) : other === 'other' ? 2 : rankOf(other);
  const amount = (base + (half === undefined ? 0 : 0.5)) * (fortnight ? 2 : 1);
  return { every: wholeUnits(amount, unit), ...(onThe !== undefined && { minuteOf: [0] }) };
}

const finer: Partial<Record<Unit, [number, Unit]>> = {
  minute: [60, 'second'],
  hour: [60, 'minute'],
  day: [24, 'hour'],
  week: [7, 'day'],
};

/** Converts fractions to a smaller unit: one and a half hours to ninety minutes. */
function wholeUnits(count: number, unit: Unit): { count: number; unit: Unit } {
  const smaller = finer[unit];
  return Number.isInteger(count) || !smaller ? { count, unit } : wholeUnits(count * smaller[0], smaller[1]);
}

function ofHour(phrase: string): Recurrence | undefined {
  if (/^(?:every hour )?(?:on|at) the (?:top of the )?hour$|^(?:at )?the top of (?:every|each|the) hour$/.test(phrase))
    return { minuteOf: [0] };
  if (/^(?:every hour )?(?:on|at) the half[- ]hour$/.test(phrase)) return { minuteOf: [30] };
  const found =
    /^(?:(?:every hour|each hour|hourly) )?at (?:(?::|minute )(?<minute>[0-5]?\d)|(?<past>[0-5]?\d|quarter|half)(?: minutes?)? past(?: the| every| each)?(?: hour)?)(?: of (?:every|each) hour| every hour)?$|^(?:at )?(?<after>[0-5]?\d|quarter|half)(?: minutes?)? past (?:every|each|the) hour$/.exec(
      phrase,
    )?.groups;
  if (!found) return minutesOfHour(phrase);
  const text = (found.minute ?? found.past ?? found.after)!;
  return { minuteOf: [text === 'quarter' ? 15 : text === 'half' ? 30 : Number(text)] };
}

/** Reads several minutes of the hour: `at 10 past and 40 past`, `at :10 and :40`. */
function minutesOfHour(phrase: string): Recurrence | undefined {
  const one = '(?::[0-5]\\d|[0-5]?\\d(?: minutes?)?(?: past)?)';
  const said = new RegExp(
    `^(?:(?:every|each) hour )?(?:at )?(${one}(?:(?: and | & | )(?:at )?${one})+)(?:(?: of)? (?:the|every|each) hour)?$`,
  ).exec(phrase)?.[1];
  if (said === undefined || !/past|:/.test(said) || /\d:/.test(said)) return undefined;
  return { minuteOf: [...new Set((said.match(/\d+/g) ?? []).map(Number))].sort((a, b) => a - b) };
}

function window(phrase: string): Recurrence | undefined {
  const found =
    /^(?:only )?(?:between|from|during) (.+?) (?:and|to|until|till|through|-|–) (.+)$/.exec(phrase) ??
    /^(?:only )?(?:between |from )?(\d{1,2}(?::\d\d)?(?:[ap]m)?) ?(?:-|–|to) ?(\d{1,2}(?::\d\d)?[ap]m|\d{1,2}:\d\d)$/.exec(
      phrase,
    );
  if (!found) return undefined;
  const [from, to] = [readClock(`at ${found[1]}`)?.times, readClock(`at ${found[2]}`)?.times];
  if (from?.length !== 1 || to?.length !== 1) return undefined;
  return { window: asTimeRange(from[0]!, to[0]!) };
}

function counted(phrase: string): Recurrence | undefined {
  const found = new RegExp(
    `^(?:(?<twice>once|twice)|(?<count>${numberPattern}) (?:times|x)) (?:(?:an?|every|each|per) (?<unit>hour|day|week|month|year)|(?<adverb>hourly|daily|weekly|monthly|yearly))$`,
  ).exec(phrase)?.groups;
  if (!found) return undefined;
  // "5 times every hour" can also mean five runs in all, one per hour.
  if (/ (?:every|each) hour$/.test(phrase) && found.twice === undefined) return undefined;
  const times = found.twice === undefined ? numberOf(found.count!) : found.twice === 'once' ? 1 : 2;
  const unit = (found.unit ?? found.adverb!.replace(/(?:i)?ly$/, '').replace(/^da$/, 'day')) as Unit;
  return { every: { count: 1, unit }, ...(times > 1 && { perUnit: times }) };
}
