import type { JsonObject } from '../json/value.js';
import { day, hour, minute, second } from '../scheduling/cadence/cadence.js';
import { parseInstant } from '../time/duration.js';
import { type ClockTime, type DayPart, readClock } from './clock.js';
import { readDate, type SaidDate } from './dates.js';
import { monthPattern } from './days.js';
import { onSecond, rfc } from './local-time.js';
import { readRecurrence } from './recurrence.js';
import type { Recurrence } from './recurrence-type.js';
import { spelledRight } from './spelling.js';
import { numberOf, numberPattern, plain } from './words.js';
import { isUnknownAbbreviation, readZone, type SaidZone, saidZone } from './zones.js';

/** A schedule that is known to its last detail. */
export interface FixedSchedule {
  scheduleType: 'once' | 'interval' | 'cron';
  schedule: JsonObject;
}

/** Everything an utterance says about time. */
export interface When {
  recurrence: Recurrence;
  date?: SaidDate;
  times?: ClockTime[];
  part?: DayPart;
  zone?: SaidZone;
  /** From now on, in milliseconds. */
  delay?: number;
  /** Where an interval begins. */
  start?: When;
  /** An end was named, which no cadence has. */
  end?: true;
  /** A second time, for which a job has no room. */
  other?: When;
  /** Something was said that is not understood. */
  unclear?: true;
  /** A cron expression as it was written. */
  cron?: string;
  /** An answer that settles everything. */
  fixed?: FixedSchedule;
}

export function nothingSaid(): When {
  return { recurrence: {} };
}

/** Whether anything was said about when. */
export function saysWhen(when: When): boolean {
  const { recurrence, zone: _, part: __, ...rest } = when;
  return Object.keys(rest).length > 0 || Object.keys(recurrence).some((key) => key !== 'part');
}

/** Which end of the utterance a phrase stands at. */
export type Side = 'start' | 'end';

/** `when` with what the phrase adds to it; undefined if it is no phrase about time, or what it says was said already. */
export function addPhrase(spoken: readonly string[], when: When, side: Side): When | undefined {
  const words = spoken.flatMap((word) =>
    /^\d{1,2}:?\d\dZ[,;]?$/.test(word) ? [word.replace(/Z.*$/, ''), 'UTC'] : [word],
  );
  const phrase = spelledRight(plain(words));
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

/** An RFC 3339 timestamp says everything; without its offset it is a date and a time. */
function addInstant(phrase: string, when: When): When | undefined {
  if (saysWhen(when)) return undefined;
  const text = phrase.replace(/^(?:at|on|for) /, '').toUpperCase();
  const instant = parseInstant(text);
  if (instant !== undefined)
    return { ...when, fixed: { scheduleType: 'once', schedule: { runAt: rfc(onSecond(instant)) } } };
  const local = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(text);
  const date = local && readDate(local[1]!);
  return date ? { ...when, date, times: [{ hour: Number(local[2]), minute: Number(local[3]) }] } : undefined;
}

/** What keeps a second part of a recurrence out. */
function clashes(said: Recurrence, more: Recurrence): boolean {
  const both = { ...said, ...more };
  if (Object.keys(more).some((key) => key !== 'part' && key in said)) return true;
  const daily = both.every?.unit === 'day' && (both.weekdays !== undefined || both.monthDays !== undefined);
  const kinds = [both.weekdays, both.monthDays, both.yearDay, both.nth, both.lastDay].filter((it) => it !== undefined);
  return daily || kinds.length > 1;
}

function addRecurrence(phrase: string, when: When): When | undefined {
  if (when.date || when.delay !== undefined || when.cron !== undefined) return undefined;
  const { part, ...more } = readRecurrence(phrase) ?? {};
  if (Object.keys(more).length === 0 || clashes(when.recurrence, more)) return undefined;
  if (more.window !== undefined && when.times !== undefined) return undefined;
  return { ...when, recurrence: { ...when.recurrence, ...more }, ...(part !== undefined && { part }) };
}

function addClock(phrase: string, when: When): When | undefined {
  const clock = readClock(phrase);
  // No clock shows "at 25:00": as good as no time.
  if (!clock && !when.times && /^at \d{1,3}(?::\d{1,2})?(?: ?[ap]m)?$/.test(phrase)) return { ...when };
  if (!clock || when.delay !== undefined || when.cron !== undefined) return undefined;
  if (clock.times !== undefined && (when.times !== undefined || when.recurrence.window !== undefined)) return undefined;
  if (clock.times === undefined && when.part !== undefined) return undefined;
  // "night" alone is a word like any other.
  if (clock.times === undefined && !/ /.test(phrase)) return undefined;
  return { ...when, ...clock };
}

const units: Record<string, number> = { s: second, m: minute, h: hour };
const delayPattern = new RegExp(
  `^(?:in|after) (?:about |around )?(?<body>(?:half an hour|${numberPattern} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?: and a half)?(?:(?: and|,)? ${numberPattern} ?(?:m|mins?|minutes?|secs?|seconds?))?))(?: from now| time)?$|^(?<later>${numberPattern} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)|half an hour) from now$`,
);

function addDelay(phrase: string, when: When): When | undefined {
  const found = delayPattern.exec(phrase)?.groups;
  const body = found?.body ?? found?.later;
  if (body === undefined || when.delay !== undefined || when.date || when.times || saysWhen(when)) return undefined;
  if (body === 'half an hour') return { ...when, delay: 30 * minute };
  const parts = [...body.matchAll(new RegExp(`(${numberPattern}) ?(s|m|h)[a-z]*( and a half)?`, 'g'))];
  const delay = parts.reduce(
    (sum, [, count, unit, half]) => sum + (numberOf(count!) + (half ? 0.5 : 0)) * units[unit!]!,
    0,
  );
  return delay > 0 && delay < 36_500 * day ? { ...when, delay: Math.round(delay) } : undefined;
}

function addDate(phrase: string, when: When): When | undefined {
  if (when.date || when.delay !== undefined || when.cron !== undefined || Object.keys(when.recurrence).length > 0)
    return undefined;
  const date = readDate(phrase);
  if (!date) return undefined;
  return { ...when, date, ...(date.part !== undefined && { part: date.part }) };
}

function addZone(phrase: string, words: readonly string[], when: When, side: Side): When | undefined {
  if (when.zone) return undefined;
  // "5pm my time" is the zone that counts anyway; only right at the end is it about the time.
  if (/^(?:in )?(?:(?:my|our|your) (?:own )?(?:local )?|local )time(?: ?zone)?$/.test(phrase))
    return side === 'end' && !saysWhen(when) ? { ...when } : undefined;
  const reading = readZone(phrase, words.join(' '));
  if (!reading) return zoneAfterTime(words, when);
  // A place is a zone only next to a time: "lunch in Berlin every Friday at 9" has lunch there.
  if (reading.place && (side === 'end' ? when.times !== undefined : when.times === undefined)) return undefined;
  if ('unknown' in reading.said && side === 'end' && when.times !== undefined) return undefined;
  return { ...when, zone: reading.said };
}

/** `9am Central`, `9am XYZ`, `9am in Atlantis`: what follows a time names a zone, whether we know it or not. */
function zoneAfterTime(words: readonly string[], when: When): When | undefined {
  for (let count = 1; count <= 3 && count < words.length; count++) {
    const tail = words.slice(-count);
    const preposition = plain(tail.slice(0, 1)) === 'in';
    const name = (preposition ? tail.slice(1) : tail).map((word) => word.replace(/^\(|[),;.]+$/g, '')).join(' ');
    if (!/^\p{Lu}/u.test(name)) continue;
    const said = saidZone(name);
    const known = !('unknown' in said);
    if (!known && !(preposition ? /^\p{Lu}\p{L}{2,}$/u.test(name) : isUnknownAbbreviation(name))) continue;
    const timed = addClock(plain(words.slice(0, -count)), when);
    if (timed?.times && timed.times !== when.times) return { ...timed, zone: said };
  }
  return undefined;
}

function addStart(words: readonly string[], when: When): When | undefined {
  const lead = /^(?:(?:starting|beginning|begin|start|effective|as)(?: (?:from|on|of|at))?|from) /.exec(
    `${plain(words)} `,
  )?.[0];
  if (lead === undefined || when.start) return undefined;
  const rest = words.slice(lead.trim().split(' ').length);
  const first = plain(rest);
  if (/^(?:now|today|right now|immediately|now on)$/.test(first)) return { ...when, start: nothingSaid() };
  const start = readWhole(lead.trim().endsWith('at') ? ['at', ...rest] : rest);
  if (!start || !(start.date || start.times) || start.delay !== undefined || Object.keys(start.recurrence).length > 0)
    return undefined;
  if (/^from/.test(lead) && !start.date) return undefined;
  return { ...when, start };
}

/** A whole passage about time; undefined if anything in it is not. */
export function readWhole(words: readonly string[], from: When = nothingSaid()): When | undefined {
  let when: When = from;
  let rest = [...words];
  while (rest.length > 0) {
    const step = longestPhrase(rest, when, 'start');
    if (!step) return undefined;
    [when, rest] = [step.when, step.rest];
  }
  return when;
}

/** No phrase about time has more words. */
const longest = 14;

/** Takes the longest phrase about time off one end. */
export function longestPhrase(
  words: readonly string[],
  when: When,
  side: Side,
): { when: When; rest: string[] } | undefined {
  for (let count = Math.min(longest, words.length); count > 0; count--) {
    const phrase = side === 'end' ? words.slice(-count) : words.slice(0, count);
    // "a week from today at 9am" does not start today.
    const counted = side === 'end' && plain(phrase.slice(0, 1)) === 'from' && plain(words.slice(-count - 1, -count));
    if (counted && /^(?:days?|weeks?|months?)$/.test(counted)) continue;
    const more = addPhrase(phrase, when, side);
    if (more) return { when: more, rest: side === 'end' ? words.slice(0, -count) : words.slice(count) };
  }
  return undefined;
}

const endPattern = new RegExp(
  `^(?:(?:until|till|ending|ends|up to|up until|through) (?:on |the )?(?<last>.{1,40})|for (?:the next )?${numberPattern} (?:days?|weeks?|months?|years?|hours?|runs|times|minutes?)|${numberPattern} times(?: (?:in total|only|total))?|for (?:the rest of )?(?:this|the) (?:week|month|year|day))$`,
);

/** An end belongs to what was just said about repeating, or follows it; elsewhere it is part of a text. */
function addEnd(phrase: string, when: When, side: Side): When | undefined {
  const repeats = Object.keys(when.recurrence).length > 0;
  if (when.end || (side === 'end' ? saysWhen(when) : !repeats)) return undefined;
  const found = endPattern.exec(phrase);
  const last = found?.groups?.last;
  if (!found || (last !== undefined && !isMoment(last))) return undefined;
  return { ...when, end: true };
}

function isMoment(text: string): boolean {
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
