import { numberOf } from '../number-words.js';

/** A time of day. An hour from 1 to 12 without AM or PM is ambiguous. */
export interface ClockTime {
  hour: number;
  minute: number;
  ambiguous?: true;
  /** Said as "midnight", which can begin or end a day. */
  midnight?: true;
}

/** Part of the day, which can resolve an ambiguous hour. */
export type DayPart = 'morning' | 'afternoon' | 'evening' | 'night';

/** Times of day and a part of the day. */
export interface Clock {
  times?: ClockTime[];
  part?: DayPart;
}

const hourWord = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)';
const meridiem = '(?: ?([ap])m?)?';
const one = new RegExp(
  `^(?:(?<noon>(?:12 )?(?:noon|midday))|(?<midnight>(?:12 )?midnight)|(?<past>half past|(?:a )?quarter past|(?:a )?quarter to|(?:\\d{1,2}|five|ten|twenty) (?:minutes )?(?:past|to)) (?<near>\\d{1,2}|${hourWord})${meridiem.replace('([ap])', '(?<nearHalf>[ap])')}|(?<hour>\\d{1,2}|${hourWord})(?:[:.h](?<minute>[0-5]\\d)|(?<mark>h))?(?:ish)?(?<clock> ?o'clock)?(?: ?(?<half>[ap])m?)?(?:ish)?|(?<military>(?:[01]\\d|2[0-3])[0-5]\\d)(?: ?h(?:(?:ou)?rs)?)?)$`,
);

const spokenMinutes = new RegExp(`\\b(\\d{1,2}|${hourWord}) (fifteen|twenty|thirty|forty[- ]five)\\b`, 'g');

const parts: Record<string, DayPart> = {
  morning: 'morning',
  afternoon: 'afternoon',
  evening: 'evening',
  night: 'night',
};
const ending = / (?:in the (?<part>morning|afternoon|evening)|at (?<night>night))$/;
// "about the 4pm meeting" is not a time.
const lead = /^(?:(?:at|@|around|about(?! the )|from|for) )?(?:the (?=\d)|exactly |around |about |precisely )?/;

/** Reads `at 9am`, `at 9:30 and 17:45`, `noon`, `at half past 8 in the evening`; undefined if the phrase is anything else. */
export function readClock(phrase: string): Clock | undefined {
  const spoken = withMeridiem(phrase)
    .replace(/(\d) (?=[ap]m\b)/g, '$1')
    .replace(/\b12 (?=noon|midday|midnight)/g, '')
    .replace(/(?: sharp| on the dot| exactly| or so|-ish)$/, '');
  const part = readPart(spoken);
  if (part) return { part };
  const end = ending.exec(spoken);
  const body = end ? spoken.slice(0, end.index) : spoken;
  const introduced = /^(?:at|@|around|about)\b ?/.test(body);
  const items = body
    .replace(lead, '')
    .replace(/^@/, '')
    .replace(spokenMinutes, (_, hours: string, minutes: string) => `${numberOf(hours)}:${numberOf(minutes)}`)
    // The commas of a list were removed earlier: "9:00 13:00 and 17:00".
    .split(
      / ?(?:,|&|\band\b|\bplus\b) ?(?:(?:again )?at )?|(?<=\d|\d[ap]m|noon|midnight) (?=\d{1,2}(?:[:.]\d\d|[ap]m)\b|noon\b|midnight\b)|(?<=^\d{1,2}|^\d{1,2} \d{1,2}|^\d{1,2} \d{1,2} \d{1,2}) (?=\d{1,2}(?: \d{1,2})* and \d{1,2}$)/,
    );
  const times = items.map((item) => readOne(item.trim(), introduced || end !== null));
  if (times.some((it) => it === undefined)) return undefined;
  const found = shareMeridiem(times as ReadTime[]).map(({ clear: _, ...time }) => time);
  const said = end?.groups?.part ?? end?.groups?.night;
  return { times: found, ...(said !== undefined && { part: parts[said]! }) };
}

/** "9 in the morning and 3 in the afternoon": each time has its own part of the day. */
function withMeridiem(phrase: string): string {
  const each = /(\d{1,2}(?::\d\d)?) in the (morning|afternoon|evening)/g;
  if ((phrase.match(each) ?? []).length < 2) return phrase;
  return phrase.replace(each, (_, time: string, said: string) => `${time}${said === 'morning' ? 'am' : 'pm'}`);
}

/** Reads a part of the day alone: `in the morning`, `at night`. */
function readPart(phrase: string): DayPart | undefined {
  const match = /^(?:in the |during the |at |over)?(morning|afternoon|evening|night)s?$/.exec(phrase);
  return match ? parts[match[1]!] : undefined;
}

interface ReadTime extends ClockTime {
  /** AM or PM, if it was given. */
  clear?: 'a' | 'p';
}

function readOne(text: string, introduced: boolean): ReadTime | undefined {
  const found = one.exec(text)?.groups;
  if (!found) return undefined;
  if (found.noon) return { hour: 12, minute: 0 };
  if (found.midnight) return { hour: 0, minute: 0, midnight: true };
  if (found.military)
    return introduced
      ? { hour: Number(found.military.slice(0, 2)), minute: Number(found.military.slice(2)) }
      : undefined;
  // "9 to 5pm" is from nine to five; "at 5 to 5pm" is five minutes before.
  if (/^\d+ to$/.test(found.past ?? '') && !(introduced && /^(?:5|10|20|25) /.test(found.past!))) return undefined;
  if (found.past) return relative(found.past, numberOf(found.near!), found.nearHalf);
  const { hour: digits, minute: minutes, half, clock, mark } = found;
  const hour = numberOf(digits!);
  if (half === undefined && minutes === undefined && clock === undefined && !introduced) return undefined;
  // "at 9 a" is not a time, but "9a" and "9 am" are.
  if (half !== undefined && / [ap]$/.test(text)) return undefined;
  // "at 9h" is written in 24-hour notation.
  const zeroed = mark !== undefined || (/^0\d/.test(digits!) && minutes !== undefined);
  return timeOf(hour, Number(minutes ?? 0), half, zeroed);
}

function timeOf(hour: number, minute: number, half: string | undefined, zeroed = false): ReadTime | undefined {
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, clear: half as 'a' | 'p' };
  }
  if (hour > 24 || (hour === 24 && minute > 0)) return undefined;
  if (hour === 24 || hour === 0 || hour > 12 || zeroed) return { hour: hour % 24, minute };
  return { hour, minute, ambiguous: true };
}

function relative(past: string, near: number, half: string | undefined): ReadTime | undefined {
  const amount = past.startsWith('half') ? 30 : /quarter/.test(past) ? 15 : numberOf(past.split(' ')[0]!);
  const base = timeOf(near, 0, half);
  if (!base || amount > 59) return undefined;
  if (!past.endsWith(' to')) return { ...base, minute: amount };
  const before = base.ambiguous ? ((near + 10) % 12) + 1 : (base.hour + 23) % 24;
  return { ...base, hour: before, minute: 60 - amount };
}

/** Applies the AM or PM of the last time to the ones before it, as long as they stay in order: "9 and 11am". */
function shareMeridiem(times: ReadTime[]): ReadTime[] {
  const last = times.at(-1);
  // A time after 12:59 shows that the others are in 24-hour notation too.
  if (times.some(({ hour, ambiguous, clear }) => !ambiguous && clear === undefined && hour > 12))
    return times.map(({ ambiguous: _, ...time }) => time);
  if (last?.clear === undefined) return times;
  return times.map((time) => {
    if (!time.ambiguous) return time;
    const shared = timeOf(time.hour, time.minute, last.clear)!;
    return shared.hour * 60 + shared.minute < last.hour * 60 + last.minute ? shared : time;
  });
}

/** Two times as a range: an ambiguous end is resolved if only one reading lies within the same day. */
export function asTimeRange(from: ClockTime, to: ClockTime): [ClockTime, ClockTime] {
  const minutes = ({ hour, minute }: ClockTime) => hour * 60 + minute;
  if (from.ambiguous === to.ambiguous) return [from, to];
  const fits = to.ambiguous
    ? amAndPm(to).filter((it) => minutes(it) > minutes(from))
    : amAndPm(from).filter((it) => minutes(it) < minutes(to));
  const [only] = fits;
  if (fits.length !== 1) return [from, to];
  return to.ambiguous ? [from, only!] : [only!, to];
}

/** Resolves an ambiguous time by the part of the day, if that is possible. */
export function inDayPart(time: ClockTime, part: DayPart | undefined): ClockTime {
  if (!time.ambiguous || part === undefined) return time;
  const { hour, minute } = time;
  const noonBased = hour % 12;
  if (part === 'morning') return { hour: noonBased, minute };
  if (part === 'night') return { hour: noonBased < 6 ? noonBased : noonBased + 12, minute };
  return { hour: noonBased + 12, minute };
}

/** Whether a time belongs to the night that began on the day before. */
export function isAfterMidnight({ hour }: ClockTime): boolean {
  return hour < 5;
}

/** Hours that each part of the day can include; the night goes past midnight. */
const partHours: Record<DayPart, [number, number]> = {
  morning: [0, 12],
  afternoon: [11, 19],
  evening: [15, 24],
  night: [17, 30],
};

/** Whether a time contradicts the part of the day: "every morning at 5pm". */
export function contradictsPart({ hour, ambiguous }: ClockTime, part: DayPart | undefined): boolean {
  if (ambiguous || part === undefined) return false;
  const [from, to] = partHours[part];
  return !((hour >= from && hour <= to) || hour + 24 <= to);
}

/** Both readings of an ambiguous time. */
export function amAndPm({ hour, minute }: ClockTime): [ClockTime, ClockTime] {
  return [
    { hour: hour % 12, minute },
    { hour: (hour % 12) + 12, minute },
  ];
}

/** `9:05 AM`. */
export function twelveHourText({ hour, minute }: ClockTime): string {
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `09:05`. */
export function timeOfDayText({ hour, minute }: ClockTime): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
