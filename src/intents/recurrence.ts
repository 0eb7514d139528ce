import { asStretch, type DayPart, readClock } from './clock.js';
import { rankOf } from './days.js';
import { inMonths, ofMonth, ofYear } from './recurrence-month.js';
import type { Recurrence, Unit } from './recurrence-type.js';
import { ofWeek } from './recurrence-week.js';
import { numberOf, numberPattern } from './words.js';

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

const adverbs: Record<string, Recurrence> = {
  hourly: { every: { count: 1, unit: 'hour' } },
  daily: { every: { count: 1, unit: 'day' } },
  nightly: { every: { count: 1, unit: 'day' }, part: 'night' },
  weekly: { every: { count: 1, unit: 'week' } },
  biweekly: { every: { count: 2, unit: 'week' } },
  'bi-weekly': { every: { count: 2, unit: 'week' } },
  fortnightly: { every: { count: 2, unit: 'week' } },
  monthly: { every: { count: 1, unit: 'month' } },
  quarterly: { every: { count: 1, unit: 'quarter' } },
  yearly: { every: { count: 1, unit: 'year' } },
  annually: { every: { count: 1, unit: 'year' } },
};

/** Reads one phrase about repeating; undefined if it is anything else. */
export function readRecurrence(spoken: string): Recurrence | undefined {
  const phrase = spoken
    .replace(/^(?:for|on|only|only on|on only) (?=every\b|each\b|\w+days\b)/, '')
    .replace(/^each and every\b|^(?:all|any) (?=\w+days?\b)/, (lead) => (lead.endsWith(' ') ? 'every ' : 'every'))
    .replace(/\bm-f\b/, 'mon-fri');
  return (
    adverb(phrase) ??
    stretch(phrase) ??
    ofWeek(phrase) ??
    ofMonth(phrase) ??
    inMonths(phrase) ??
    ofYear(phrase) ??
    ofHour(phrase) ??
    window(phrase) ??
    counted(phrase)
  );
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
  // "a day" alone repeats nothing, and "every second" is a second, not every other something.
  if (/^an?$/.test(lead!)) return undefined;
  const fortnight = word!.startsWith('fortnight');
  const unit = fortnight ? 'week' : unitOf(word!)!;
  if (word!.length === 1 && (count === undefined || !/\d/.test(count))) return undefined;
  const base =
    other === undefined ? (count === undefined ? 1 : numberOf(count)) : other === 'other' ? 2 : rankOf(other);
  const amount = (base + (half === undefined ? 0 : 0.5)) * (fortnight ? 2 : 1);
  return { every: wholeUnits(amount, unit), ...(onThe !== undefined && { minuteOf: 0 }) };
}

const finer: Partial<Record<Unit, [number, Unit]>> = {
  minute: [60, 'second'],
  hour: [60, 'minute'],
  day: [24, 'hour'],
  week: [7, 'day'],
};

/** One and a half hours are ninety minutes. */
function wholeUnits(count: number, unit: Unit): { count: number; unit: Unit } {
  const smaller = finer[unit];
  return Number.isInteger(count) || !smaller ? { count, unit } : wholeUnits(count * smaller[0], smaller[1]);
}

function ofHour(phrase: string): Recurrence | undefined {
  if (/^(?:every hour )?(?:on|at) the (?:top of the )?hour$|^(?:at )?the top of (?:every|each|the) hour$/.test(phrase))
    return { minuteOf: 0 };
  if (/^(?:every hour )?(?:on|at) the half[- ]hour$/.test(phrase)) return { minuteOf: 30 };
  const found =
    /^(?:(?:every hour|each hour|hourly) )?at (?:(?::|minute )(?<minute>[0-5]?\d)|(?<past>[0-5]?\d|quarter|half)(?: minutes?)? past(?: the| every| each)?(?: hour)?)(?: of (?:every|each) hour| every hour)?$|^(?:at )?(?<after>[0-5]?\d|quarter|half)(?: minutes?)? past (?:every|each|the) hour$/.exec(
      phrase,
    )?.groups;
  if (!found) return undefined;
  const text = (found.minute ?? found.past ?? found.after)!;
  return { minuteOf: text === 'quarter' ? 15 : text === 'half' ? 30 : Number(text) };
}

function window(phrase: string): Recurrence | undefined {
  const found = /^(?:only )?(?:between|from|during) (.+?) (?:and|to|until|till|through|-|–) (.+)$/.exec(phrase);
  if (!found) return undefined;
  const [from, to] = [readClock(`at ${found[1]}`)?.times, readClock(`at ${found[2]}`)?.times];
  if (from?.length !== 1 || to?.length !== 1) return undefined;
  return { window: asStretch(from[0]!, to[0]!) };
}

function counted(phrase: string): Recurrence | undefined {
  const found = new RegExp(
    `^(?:(?<twice>once|twice)|(?<count>${numberPattern}) (?:times|x)) (?:an?|every|each|per) (?<unit>hour|day|week|month|year)$`,
  ).exec(phrase)?.groups;
  if (!found) return undefined;
  const times = found.twice === undefined ? numberOf(found.count!) : found.twice === 'once' ? 1 : 2;
  return { every: { count: 1, unit: found.unit as Unit }, ...(times > 1 && { perUnit: times }) };
}
