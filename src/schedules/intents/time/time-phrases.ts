import { parseInstant } from '../../../base/time/instant.js';
import { day, hour, minute, second, wholeSecond } from '../../cadence/cadence.js';
import { numberOf, numberPattern } from '../number-words.js';
import { rfc3339 } from '../resolve/local-time.js';
import { normalize } from '../split-words.js';
import { readClock } from './clock-time-phrases.js';
import { type DateExpression, readDate } from './date-phrases.js';
import { doubtfulAdverb, readRecurrence } from './recurrence-phrases.js';
import { emptyWhen, hasSchedule, type Recurrence, type When } from './time-expression.js';
import { monthPattern } from './weekdays-and-months.js';
import { isUnknownAbbreviation, readZone, zoneExpression } from './zone-phrases.js';

/** Frequent misspellings of time words. */
const misspellings: Record<string, string> = {
  'every day': 'everyday',
  every: 'evry evrey eveyr everry ervery eveery',
  day: 'dya',
  tomorrow: 'tommorow tommorrow tomorow tomorrw tmrw tmr',
  monday: 'modnay mondya mnoday moday',
  tuesday: 'tusday teusday tuesady tuseday tuesdya',
  wednesday: 'wensday wednsday wednesay wedensday wedesday wendesday',
  thursday: 'thrusday thurday thursdya thusday thurdsay',
  friday: 'firday fridya frdiay friady fryday',
  saturday: 'saterday satruday saturady saturdya',
  sunday: 'sudnay sundya sunady',
  weekday: 'wekday weekdya weekady',
  minute: 'minuet mintue miunte minuite',
  hour: 'huor hrou',
  month: 'motnh mounth',
  midnight: 'midnigth midnite',
  morning: 'mornig moring mornin morining morinng',
  afternoon: 'afternon afernoon aftenoon afternnon',
  evening: 'evning evenign eveing',
  tonight: 'tonite tonigt tonihgt tonght',
  weekend: 'wekend weekned weeknd',
  weekly: 'weekley wekly weely',
  monthly: 'montly monthy montlhy',
};
const corrections = new Map(
  Object.entries(misspellings).flatMap(([word, wrong]) => wrong.split(' ').map((it) => [it, word] as const)),
);

/** Corrects misspelled time words. Applied to time phrases only, never to texts. */
function fixSpelling(phrase: string): string {
  return plainNumbers(phrase).replace(/[a-z]{3,}/g, (word) => {
    const singular = corrections.get(word.replace(/s$/, ''));
    return corrections.get(word) ?? (singular === undefined ? word : `${singular}s`);
  });
}

const half = new RegExp(`(${numberPattern}) and a half (hours|hrs|minutes|mins|days|weeks)\\b`, 'g');

/** "two and a half hours" as "two hours and a half", "a couple of hours" as "2 hours". */
function plainNumbers(phrase: string): string {
  return phrase
    .replace(half, '$1 $2 and a half')
    .replace(/\b(?:a )?couple (?:of )?(?=(?:seconds|minutes|mins|hours|hrs|days|weeks|fortnights|months)\b)/, '2 ');
}

/** End of the utterance from which a phrase is taken. */
export type Side = 'start' | 'end';

/** Adds a phrase to `when`; undefined if it is not a time phrase, or repeats something already known. */
export function addPhrase(spoken: readonly string[], when: When, side: Side): When | undefined {
  const words = spoken.flatMap((word) =>
    /^\d{1,2}:?\d\dZ[,;]?$/.test(word) ? [word.replace(/Z.*$/, ''), 'UTC'] : [word],
  );
  const phrase = fixSpelling(normalize(words));
  if (phrase === '') return undefined;
  return (
    addInstant(phrase, when) ??
    addRecurrence(phrase, when) ??
    addClock(phrase, when) ??
    addDelay(phrase, when) ??
    addDate(phrase, when) ??
    addZone(phrase, words, when, side) ??
    addStart(words, when) ??
    addEnd(phrase, when, side)
  );
}

/** Adds an RFC 3339 timestamp; without an offset it is a local date and time. */
function addInstant(phrase: string, when: When): When | undefined {
  if (hasSchedule(when)) return undefined;
  const text = phrase.replace(/^(?:at|on|for) /, '').toUpperCase();
  const instant = parseInstant(text);
  if (instant !== undefined)
    return { ...when, fixed: { scheduleType: 'once', schedule: { runAt: rfc3339(wholeSecond(instant)) } } };
  const local = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(text);
  const date = local && readDate(local[1]!);
  return date ? { ...when, date, times: [{ hour: Number(local[2]), minute: Number(local[3]) }] } : undefined;
}

/** Whether two parts of a recurrence exclude each other. */
function clashes(said: Recurrence, more: Recurrence): boolean {
  const both = { ...said, ...more };
  if (Object.keys(more).some((key) => key !== 'part' && key in said)) return true;
  const daily = both.every?.unit === 'day' && (both.weekdays !== undefined || both.monthDays !== undefined);
  const kinds = [both.weekdays, both.monthDays, both.yearDay, both.nth, both.lastDay].filter((it) => it !== undefined);
  return daily || kinds.length > 1;
}

function addRecurrence(phrase: string, when: When): When | undefined {
  if (doubtfulAdverb.test(phrase) && !when.unclear) return { ...when, unclear: phrase };
  if (when.delay !== undefined || when.cron !== undefined) return undefined;
  const { part, ...more } = readRecurrence(phrase) ?? {};
  if (Object.keys(more).length === 0 || clashes(when.recurrence, more)) return undefined;
  if (more.window !== undefined && when.times !== undefined) return undefined;
  // In "sales in December every day at 9am", the month is part of the text.
  if (Object.keys(more).join() === 'months' && repeats(when) && when.times) return undefined;
  const { date, ...rest } = when;
  const recurrence = { ...when.recurrence, ...more };
  const dated = date ? onDate(recurrence, date) : recurrence;
  return dated && { ...rest, recurrence: dated, ...(part !== undefined && { part }) };
}

/** A recurrence whose day is given by a date: "every quarter at 9am on the 1st"; undefined if they do not fit. */
function onDate(recurrence: Recurrence, date: DateExpression): Recurrence | undefined {
  const { every, weekdays, monthDays, yearDay } = recurrence;
  if (!every || weekdays !== undefined || monthDays || yearDay || date.part !== undefined) return undefined;
  if (/^(?:month|quarter)$/.test(every.unit) && date.kind === 'dayOfMonth' && !date.next)
    return { ...recurrence, monthDays: [date.day] };
  if (every.unit === 'week' && date.kind === 'weekday' && date.weeks === 0)
    return { ...recurrence, weekdays: String(date.weekday) };
  if (every.unit !== 'year' || date.kind !== 'phrase') return undefined;
  const day = readRecurrence(`every ${date.phrase}`);
  return day?.yearDay && { ...recurrence, yearDay: day.yearDay };
}

function repeats(when: When): boolean {
  return Object.keys(when.recurrence).length > 0;
}

function addClock(phrase: string, when: When): When | undefined {
  const clock = readClock(phrase);
  // "at 25:00" is not a time.
  if (!clock && !when.times && !when.unclear && /^at \d{1,3}(?::\d{1,2})?(?: ?[ap]m)?$/.test(phrase))
    return { ...when, unclear: phrase };
  if (!clock || when.delay !== undefined || when.cron !== undefined) return undefined;
  if (clock.times !== undefined && (when.times !== undefined || when.recurrence.window !== undefined)) return undefined;
  if (clock.times === undefined && when.part !== undefined) return undefined;
  // "night" alone is an ordinary word.
  if (clock.times === undefined && !/ /.test(phrase) && !(phrase === 'overnight' && repeats(when))) return undefined;
  return { ...when, ...clock };
}

const units: Record<string, number> = { s: second, m: minute, h: hour };
const delayPattern = new RegExp(
  `^(?:in|after) (?:about |around )?(?<body>(?:half an hour|${numberPattern} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?: and a half)?(?:(?: and|,)? ${numberPattern} ?(?:m|mins?|minutes?|secs?|seconds?))?))(?: from now| time)?$|^(?<later>${numberPattern} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)|half an hour) from now$`,
);

function addDelay(phrase: string, when: When): When | undefined {
  const found = delayPattern.exec(phrase)?.groups;
  const body = found?.body ?? found?.later;
  // "am" is not "a minute".
  if (
    body === undefined ||
    /^a[smh]$/.test(body) ||
    when.delay !== undefined ||
    when.date ||
    when.times ||
    hasSchedule(when)
  )
    return undefined;
  if (body === 'half an hour') return { ...when, delay: 30 * minute };
  const parts = [...body.matchAll(new RegExp(`(${numberPattern}) ?(s|m|h)[a-z]*( and a half)?`, 'g'))];
  const delay = parts.reduce(
    (sum, [, count, unit, half]) => sum + (numberOf(count!) + (half ? 0.5 : 0)) * units[unit!]!,
    0,
  );
  return delay > 0 && delay < 36_500 * day ? { ...when, delay: Math.round(delay) } : undefined;
}

function addDate(phrase: string, when: When): When | undefined {
  if (when.date || when.delay !== undefined || when.cron !== undefined) return undefined;
  const date = readDate(phrase);
  if (!date) return undefined;
  if (repeats(when)) {
    const recurrence = onDate(when.recurrence, date);
    return recurrence && { ...when, recurrence };
  }
  return { ...when, date, ...(date.part !== undefined && { part: date.part }) };
}

function addZone(phrase: string, words: readonly string[], when: When, side: Side): When | undefined {
  if (when.zone) return undefined;
  // "5pm my time" is the default zone; it refers to the time only at the very end.
  if (/^(?:in )?(?:(?:my|our|your) (?:own )?(?:local )?|local )time(?: ?zone)?$/.test(phrase))
    return side === 'end' && !hasSchedule(when) ? { ...when } : undefined;
  const reading = readZone(phrase, words.join(' '));
  if (!reading) return zoneAfterTime(words, when);
  // A place is a zone only next to a time: in "lunch in Berlin every Friday at 9" it is part of the text.
  if (reading.place && (side === 'end' ? when.times !== undefined : when.times === undefined)) return undefined;
  if ('unknown' in reading.said && side === 'end' && when.times !== undefined) return undefined;
  return { ...when, zone: reading.said };
}

/** Adds a time followed by a zone, known or unknown: `9am Central`, `9am XYZ`, `9am in Atlantis`. */
function zoneAfterTime(words: readonly string[], when: When): When | undefined {
  for (let count = 1; count <= 3 && count < words.length; count++) {
    const tail = words.slice(-count);
    const preposition = normalize(tail.slice(0, 1)) === 'in';
    const name = (preposition ? tail.slice(1) : tail).map((word) => word.replace(/^\(|[),;.]+$/g, '')).join(' ');
    if (
      !/^(?:\p{Lu}|(?:eastern|central|mountain|pacific)$)/u.test(name) ||
      new RegExp(`^${monthPattern}$`, 'i').test(name)
    )
      continue;
    const said = zoneExpression(name);
    const known = !('unknown' in said);
    if (!known && !(preposition ? /^\p{Lu}\p{L}{2,}$/u.test(name) : isUnknownAbbreviation(name))) continue;
    const timed = addClock(normalize(words.slice(0, -count)), when);
    if (timed?.times && timed.times !== when.times) return { ...timed, zone: said };
  }
  return undefined;
}

function addStart(words: readonly string[], when: When): When | undefined {
  const lead = /^(?:(?:starting|beginning|begin|start|effective|as)(?: (?:from|on|of|at))?|from) /.exec(
    `${normalize(words)} `,
  )?.[0];
  if (lead === undefined || when.start) return undefined;
  const rest = words.slice(lead.trim().split(' ').length);
  const first = normalize(rest);
  if (/^(?:now|today|right now|immediately|now on)$/.test(first)) return { ...when, start: emptyWhen() };
  const start = readTimePhrases(lead.trim().endsWith('at') ? ['at', ...rest] : rest);
  if (!start || !(start.date || start.times) || start.delay !== undefined || Object.keys(start.recurrence).length > 0)
    return undefined;
  if (/^from/.test(lead) && !start.date) return undefined;
  return { ...when, start };
}

/** Reads words that consist of time phrases only; undefined if any part is something else. */
export function readTimePhrases(words: readonly string[], from: When = emptyWhen()): When | undefined {
  let when: When = from;
  let rest = [...words];
  while (rest.length > 0) {
    const step = longestPhrase(rest, when, 'start');
    if (!step) return undefined;
    [when, rest] = [step.when, step.rest];
  }
  return when;
}

/** Maximum number of words in a time phrase. */
const longest = 14;

/** Takes the longest time phrase from one end. */
export function longestPhrase(
  words: readonly string[],
  when: When,
  side: Side,
): { when: When; rest: string[] } | undefined {
  for (let count = Math.min(longest, words.length); count > 0; count--) {
    const phrase = side === 'end' ? words.slice(-count) : words.slice(0, count);
    // "a week from today at 9am" does not start today.
    const counted =
      side === 'end' && normalize(phrase.slice(0, 1)) === 'from' && normalize(words.slice(-count - 1, -count));
    if (counted && /^(?:days?|weeks?|fortnights?|months?)$/.test(counted)) continue;
    const more = addPhrase(phrase, when, side);
    if (more) return { when: more, rest: side === 'end' ? words.slice(0, -count) : words.slice(count) };
  }
  return undefined;
}

const endPattern = new RegExp(
  `^(?:(?:until|till|ending|ends|up to|up until|through) (?:on |the )?(?<last>.{1,40})|for (?:the next )?${numberPattern} (?:days?|weeks?|fortnights?|months?|years?|hours?|runs|times|minutes?)|${numberPattern} times(?: (?:in total|only|total))?|for (?:the rest of )?(?:this|the) (?:week|month|year|day))$`,
);

/** Adds the end of a recurrence, which follows the recurrence; anywhere else it is text. */
function addEnd(phrase: string, when: When, side: Side): When | undefined {
  if (when.end || (side === 'end' ? hasSchedule(when) : !repeats(when))) return undefined;
  const found = endPattern.exec(phrase);
  const last = found?.groups?.last;
  if (!found || (last !== undefined && !isPointInTime(last))) return undefined;
  return { ...when, end: true };
}

function isPointInTime(text: string): boolean {
  const month = new RegExp(
    `^(?:${monthPattern}|(?:the )?end of .{1,20}|further notice|20\\d\\d|${numberPattern} runs)$`,
  );
  return (
    month.test(text) ||
    readDate(text) !== undefined ||
    readDate(`on ${text}`) !== undefined ||
    readClock(`at ${text}`)?.times !== undefined
  );
}
