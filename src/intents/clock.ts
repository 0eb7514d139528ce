import { numberOf } from './words.js';

/** A time of day as it was said. A bare hour from 1 to 12 does not say which half of the day is meant. */
export interface ClockTime {
  hour: number;
  minute: number;
  bare?: true;
}

/** The part of a day that makes a bare hour clear. */
export type DayPart = 'morning' | 'afternoon' | 'evening' | 'night';

/** Times and a part of the day. */
export interface Clock {
  times?: ClockTime[];
  part?: DayPart;
}

const hourWord = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)';
const meridiem = '(?: ?([ap])m?)?';
const one = new RegExp(
  `^(?:(?<noon>(?:12 )?(?:noon|midday))|(?<midnight>(?:12 )?midnight)|(?<past>half past|(?:a )?quarter past|(?:a )?quarter to|(?:\\d{1,2}|five|ten|twenty) (?:minutes )?(?:past|to)) (?<near>\\d{1,2}|${hourWord})${meridiem.replace('([ap])', '(?<nearHalf>[ap])')}|(?<hour>\\d{1,2}|${hourWord})(?:[:.h](?<minute>[0-5]\\d)|(?<mark>h))?(?:ish)?(?<clock> ?o'clock)?(?: ?(?<half>[ap])m?)?(?:ish)?|(?<military>(?:[01]\\d|2[0-3])[0-5]\\d)(?: ?h(?:ou)?rs)?)$`,
);

const spokenMinutes = new RegExp(`\\b(\\d{1,2}|${hourWord}) (fifteen|twenty|thirty|forty[- ]five)\\b`, 'g');

const parts: Record<string, DayPart> = {
  morning: 'morning',
  afternoon: 'afternoon',
  evening: 'evening',
  night: 'night',
};
const ending = / (?:in the (?<part>morning|afternoon|evening)|at (?<night>night))$/;
const lead = /^(?:(?:at|@|around|about|by|from|for) )?(?:exactly |around |about |precisely )?/;

/** Reads `at 9am`, `at 9:30 and 17:45`, `noon`, `at half past 8 in the evening`; undefined if the phrase is anything else. */
export function readClock(phrase: string): Clock | undefined {
  const part = readPart(phrase);
  if (part) return { part };
  const end = ending.exec(phrase);
  const body = end ? phrase.slice(0, end.index) : phrase;
  const introduced = /^(?:at|@|around|about)\b ?/.test(body);
  const items = body
    .replace(lead, '')
    .replace(/^@/, '')
    .replace(spokenMinutes, (_, hours: string, minutes: string) => `${numberOf(hours)}:${numberOf(minutes)}`)
    // The commas of a list are gone by now: "9:00 13:00 and 17:00".
    .split(/ ?(?:,|&|\band\b|\bplus\b) ?(?:(?:again )?at )?|(?<=\d|\d[ap]m) (?=\d{1,2}(?:[:.]\d\d|[ap]m)\b)/);
  const times = items.map((item) => readOne(item.trim(), introduced || end !== null));
  if (times.some((it) => it === undefined)) return undefined;
  const found = sharing(times as Said[]).map(({ clear: _, ...time }) => time);
  const said = end?.groups?.part ?? end?.groups?.night;
  return { times: found, ...(said !== undefined && { part: parts[said]! }) };
}

/** `in the morning`, `at night`: a part of a day alone. */
function readPart(phrase: string): DayPart | undefined {
  const match = /^(?:in the |this |during the |at )?(morning|afternoon|evening|night)s?$/.exec(phrase);
  return match ? parts[match[1]!] : undefined;
}

interface Said extends ClockTime {
  /** The half of the day that was said with it. */
  clear?: 'a' | 'p';
}

function readOne(text: string, introduced: boolean): Said | undefined {
  const found = one.exec(text)?.groups;
  if (!found) return undefined;
  if (found.noon) return { hour: 12, minute: 0 };
  if (found.midnight) return { hour: 0, minute: 0 };
  if (found.military)
    return introduced
      ? { hour: Number(found.military.slice(0, 2)), minute: Number(found.military.slice(2)) }
      : undefined;
  if (found.past) return relative(found.past, numberOf(found.near!), found.nearHalf);
  const { hour: digits, minute: minutes, half, clock, mark } = found;
  const hour = numberOf(digits!);
  if (half === undefined && minutes === undefined && clock === undefined && !introduced) return undefined;
  // "at 9 a" is not a time, but "9a" and "9 am" are.
  if (half !== undefined && / [ap]$/.test(text)) return undefined;
  // "at 9h" is how people write who count to 24.
  const zeroed = mark !== undefined || (/^0\d/.test(digits!) && minutes !== undefined);
  return timeOf(hour, Number(minutes ?? 0), half, zeroed);
}

function timeOf(hour: number, minute: number, half: string | undefined, zeroed = false): Said | undefined {
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, clear: half as 'a' | 'p' };
  }
  if (hour > 24 || (hour === 24 && minute > 0)) return undefined;
  if (hour === 24 || hour === 0 || hour > 12 || zeroed) return { hour: hour % 24, minute };
  return { hour, minute, bare: true };
}

function relative(past: string, near: number, half: string | undefined): Said | undefined {
  const amount = past.startsWith('half') ? 30 : /quarter/.test(past) ? 15 : numberOf(past.split(' ')[0]!);
  const base = timeOf(near, 0, half);
  if (!base || amount > 59) return undefined;
  if (!past.endsWith(' to')) return { ...base, minute: amount };
  const before = base.bare ? ((near + 10) % 12) + 1 : (base.hour + 23) % 24;
  return { ...base, hour: before, minute: 60 - amount };
}

/** "9 and 11am": what is said with the last holds for those before, as long as they stay in order. */
function sharing(times: Said[]): Said[] {
  const last = times.at(-1);
  // One time that only a 24-hour clock has says how the others are meant.
  if (times.some(({ hour, bare, clear }) => !bare && clear === undefined && hour > 12))
    return times.map(({ bare: _, ...time }) => time);
  if (last?.clear === undefined) return times;
  return times.map((time) => {
    if (!time.bare) return time;
    const shared = timeOf(time.hour, time.minute, last.clear)!;
    return shared.hour * 60 + shared.minute < last.hour * 60 + last.minute ? shared : time;
  });
}

/** Two times as the ends of a stretch: a doubtful one is read so that the stretch lies within one day, if only one reading does. */
export function asStretch(from: ClockTime, to: ClockTime): [ClockTime, ClockTime] {
  const minutes = ({ hour, minute }: ClockTime) => hour * 60 + minute;
  if (from.bare === to.bare) return [from, to];
  const fits = to.bare
    ? halves(to).filter((it) => minutes(it) > minutes(from))
    : halves(from).filter((it) => minutes(it) < minutes(to));
  const [only] = fits;
  if (fits.length !== 1) return [from, to];
  return to.bare ? [from, only!] : [only!, to];
}

/** A bare time in the part of the day that was said; still bare when that does not tell. */
export function inPart(time: ClockTime, part: DayPart | undefined): ClockTime {
  if (!time.bare || part === undefined) return time;
  const { hour, minute } = time;
  const noonBased = hour % 12;
  if (part === 'morning') return { hour: noonBased, minute };
  if (part === 'night') return { hour: noonBased < 6 ? noonBased : noonBased + 12, minute };
  return { hour: noonBased + 12, minute };
}

/** Both readings of a bare time. */
export function halves({ hour, minute }: ClockTime): [ClockTime, ClockTime] {
  return [
    { hour: hour % 12, minute },
    { hour: (hour % 12) + 12, minute },
  ];
}

/** `9:05 AM`. */
export function twelveHour({ hour, minute }: ClockTime): string {
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `09:05`. */
export function clockOf({ hour, minute }: ClockTime): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
