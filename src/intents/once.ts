import { day, lastInstant } from '../scheduling/cadence/cadence.js';
import { list } from '../scheduling/cadence/wording.js';
import { type ClockTime, clockOf } from './clock.js';
import { type CivilDay, chronoDay, dayIn, type SaidDate } from './dates.js';
import { weekdayNames } from './days.js';
import {
  aroundJump,
  clockAt,
  dateText,
  dayText,
  instantsOf,
  momentText,
  monthDayText,
  onSecond,
  rfc,
  wallTime,
} from './local-time.js';
import { type Settled, type Settling, zoneFor } from './settling.js';
import type { When } from './when.js';

const monthFirst = /^(?:en-US|zh|ja|ko)\b/;
const undecided = /^(?:en|en-CA)$/;

/** One way to read a date. */
interface Reading {
  date: CivilDay;
  label: string;
}

/** The days that a said date can be, the likeliest first; `question` when there are several. */
function daysOf(
  said: SaidDate,
  today: CivilDay,
  now: number,
  time: ClockTime | undefined,
  at: Settling,
): { readings: Reading[]; question?: string } {
  const one = (date: CivilDay) => ({ readings: [{ date, label: dayText(date) }] });
  switch (said.kind) {
    case 'civil':
      return one(Date.UTC(said.year, said.month - 1, said.day));
    case 'vague':
      return { readings: [], question: 'Which day?' };
    case 'phrase': {
      const found = chronoDay(said.phrase, today);
      return found === undefined ? { readings: [], question: 'Which day?' } : one(found);
    }
    case 'dayOfMonth':
      return one(nextDayOfMonth(said.day, said.next ? firstOfNextMonth(today) : today, time, now, at));
    case 'slashes':
      return numbers(said, today, at.context.locale);
    case 'weekday': {
      const ahead = (said.weekday - new Date(today).getUTCDay() + 7) % 7;
      if (said.weeks > 0)
        return one(today - ((new Date(today).getUTCDay() + 6) % 7) * day + 7 * day + ((said.weekday + 6) % 7) * day);
      if (ahead > 0) return one(today + ahead * day);
      if (!time || time.bare) return one(today);
      const zone = zoneFor(at);
      const later = zone !== undefined && instantsOf(zone, wallTime(today, time)).some((instant) => instant > now);
      return later ? either(today, said.weekday) : one(today + 7 * day);
    }
    case 'next': {
      const ahead = (said.weekday - new Date(today).getUTCDay() + 7) % 7;
      return ahead === 0 ? one(today + 7 * day) : either(today + ahead * day, said.weekday);
    }
  }
}

function either(first: CivilDay, weekday: number) {
  const readings = [first, first + 7 * day].map((date) => ({ date, label: dayText(date) }));
  return { readings, question: `Which ${weekdayNames[weekday]}?` };
}

function firstOfNextMonth(today: CivilDay): CivilDay {
  const date = new Date(today);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The next month that has the day, with the time still ahead. */
function nextDayOfMonth(
  date: number,
  today: CivilDay,
  time: ClockTime | undefined,
  now: number,
  at: Settling,
): CivilDay {
  const start = new Date(today);
  for (let months = 0; ; months++) {
    const found = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, date);
    if (new Date(found).getUTCDate() !== date || found < today) continue;
    const zone = zoneFor(at);
    const passed =
      found === today &&
      time &&
      !time.bare &&
      zone !== undefined &&
      instantsOf(zone, wallTime(found, time)).every((it) => it <= now);
    if (!passed) return found;
  }
}

function numbers(said: Extract<SaidDate, { kind: 'slashes' }>, today: CivilDay, locale: string | undefined) {
  const read = (month: number, date: number): Reading => {
    const found = dateIn(month, date, said.year, today);
    return { date: found, label: `${monthDayText(month, date)} ${new Date(found).getUTCFullYear()}` };
  };
  const usual = read(said.first, said.second);
  if (said.sure) return { readings: [usual] };
  const other = read(said.second, said.first);
  if (locale !== undefined && !undecided.test(locale)) return { readings: [monthFirst.test(locale) ? usual : other] };
  const question = `Is that ${monthDayText(said.first, said.second)} or ${monthDayText(said.second, said.first)}?`;
  return { readings: [usual, other], question };
}

/** A day of a year; without a year the next one that has it. */
function dateIn(month: number, date: number, year: number | undefined, today: CivilDay): CivilDay {
  const first = year ?? new Date(today).getUTCFullYear();
  for (let offset = 0; offset < 9; offset++) {
    const found = Date.UTC(first + offset, month - 1, date);
    if (new Date(found).getUTCDate() === date && (year !== undefined || found >= today)) return found;
  }
  return Date.UTC(first, month - 1, date);
}

/** One run on a day that was said. */
export function settleDate(when: When, date: SaidDate, at: Settling): Settled {
  const { now } = at.context;
  const today = dayIn(zoneFor(at) ?? 'UTC', now);
  const time = when.times?.[0];
  const { readings, question } = daysOf(date, today, now, time, at);
  const civil = (reading: Reading): When => {
    const [year, month, dayOfMonth] = dateText(reading.date).split('-').map(Number) as [number, number, number];
    return { ...when, date: { kind: 'civil', year, month, day: dayOfMonth } };
  };
  if (question !== undefined) {
    const clear = when.times?.length === 1 && !time!.bare ? ` ${clockOf(time!)}` : '';
    const choices = readings.map((reading) =>
      at.choice(`${reading.label}${clear}`, civil(reading), dateText(reading.date)),
    );
    return at.ask({
      code: 'AMBIGUOUS_DATE',
      field: 'schedule.runAt',
      question,
      ...(choices.length > 0 && { choices }),
      ...at.anew('date'),
    });
  }
  const settled = at.clock({ ...civil(readings[0]!) });
  if (!('times' in settled)) return settled;
  if (settled.times.length > 1)
    return at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run has one time. Which of these?',
      choices: settled.times.map((it) =>
        at.choice(`${readings[0]!.label} ${clockOf(it)}`, { ...civil(readings[0]!), times: [it] }),
      ),
    });
  return at.zoned(settled.times[0]!, (zone) =>
    instant(civil(readings[0]!), readings[0]!.date, settled.times[0]!, zone, today, at),
  );
}

function instant(when: When, date: CivilDay, time: ClockTime, zone: string, today: CivilDay, at: Settling): Settled {
  const { now } = at.context;
  const wall = wallTime(date, time);
  const [clock, on] = [clockOf(time), dateText(date)];
  const found = instantsOf(zone, wall);
  const once = (it: number): When => ({ ...when, fixed: { scheduleType: 'once', schedule: { runAt: rfc(it) } } });
  const last = found.at(-1) ?? aroundJump(zone, wall).shifted;
  if (last <= now) return past(when, date, time, zone, today, at);
  if (last > lastInstant)
    return at.ask({ code: 'AMBIGUOUS_DATE', field: 'schedule.runAt', question: 'Which day?', ...at.anew('date') });
  if (found.length === 0) {
    const { before, after, shifted } = aroundJump(zone, wall);
    const choices = [
      at.choice(`${clockAt(zone, before)} before the change`, once(before)),
      at.choice(`${clockAt(zone, after)} right after the change`, once(after)),
      ...(shifted === after ? [] : [at.choice(clockAt(zone, shifted), once(shifted))]),
    ];
    const question = `${clock} does not exist on ${on} in ${zone} (clocks go forward). Which one?`;
    return at.ask({ code: 'NONEXISTENT_LOCAL_TIME', field: 'schedule.runAt', question, choices, ...at.anew('times') });
  }
  if (found.length === 1 || found[0]! <= now) return { scheduleType: 'once', schedule: { runAt: rfc(last) } };
  const question = `${clock} happens twice on ${on} in ${zone} (clocks go back). Which one?`;
  const choices = found.map((it, i) => at.choice(`${clock} ${i === 0 ? 'before' : 'after'} the change`, once(it)));
  return at.ask({ code: 'AMBIGUOUS_LOCAL_TIME', field: 'schedule.runAt', question, choices, ...at.anew('times') });
}

function past(when: When, date: CivilDay, time: ClockTime, zone: string, today: CivilDay, at: Settling): Settled {
  const { now } = at.context;
  const said = date === today ? 'today' : date === today - day ? 'yesterday' : `on ${dateText(date)}`;
  const next =
    [today, today + day, today + 2 * day].find((it) => instantsOf(zone, wallTime(it, time))[0]! > now) ?? today + day;
  const word = next === today ? 'Today' : 'Tomorrow';
  const runAt = instantsOf(zone, wallTime(next, time))[0] ?? aroundJump(zone, wallTime(next, time)).after;
  const fixed = (it: number): When => ({ ...when, fixed: { scheduleType: 'once', schedule: { runAt: rfc(it) } } });
  return at.ask({
    code: 'PAST_INSTANT',
    field: 'schedule.runAt',
    question: `${clockOf(time)} ${said} (${zone}) has already passed. ${word} at ${clockOf(time)} instead?`,
    choices: [
      at.choice(momentText(zone, runAt), fixed(runAt)),
      { ...at.choice('run it now', fixed(soon(now))), value: 'run_now' },
    ],
    ...at.anew('date', 'times'),
  });
}

/** As good as now: the next whole minute, because a single run lies in the future. */
function soon(now: number): number {
  return (Math.floor(now / 60_000) + 1) * 60_000;
}

/** One run at a time of day, without a day: the next time the clock shows it. */
export function settleTime(when: When, at: Settling): Settled {
  const settled = at.clock(when);
  if (!('times' in settled)) return settled;
  if (settled.times.length > 1) {
    const daily: When = { ...when, times: settled.times, recurrence: { every: { count: 1, unit: 'day' } } };
    const clocks = settled.times.map(clockOf);
    return at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run has one time. Which of these?',
      choices: [
        at.choice(`every day at ${list(clocks)}`, daily, 'every day', true),
        ...settled.times.map((time, i) =>
          at.choice(`once at ${clocks[i]}`, { ...when, times: [time] }, clocks[i]!, true),
        ),
      ],
      ...at.anew('times'),
    });
  }
  return at.zoned(settled.times[0]!, (zone) => {
    const { now } = at.context;
    const today = dayIn(zone, now);
    const time = settled.times[0]!;
    const passed =
      instantsOf(zone, wallTime(today, time)).every((it) => it <= now) &&
      instantsOf(zone, wallTime(today, time)).length > 0;
    const on = new Date(passed ? today + day : today);
    const date: SaidDate = {
      kind: 'civil',
      year: on.getUTCFullYear(),
      month: on.getUTCMonth() + 1,
      day: on.getUTCDate(),
    };
    return settleDate({ ...when, times: settled.times, date }, date, at);
  });
}

/** One run after a stretch of time. */
export function settleDelay(delay: number, at: Settling): Settled {
  return { scheduleType: 'once', schedule: { runAt: rfc(onSecond(at.context.now + delay)) } };
}
