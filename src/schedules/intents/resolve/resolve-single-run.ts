import { day, lastInstant, wholeSecond } from '../../cadence/cadence.js';
import { listInWords } from '../../cadence/duration-wording.js';
import { localTime } from '../../cadence/zone-transitions.js';
import type { ParsedRequest, Question } from '../parsed-request-types.js';
import { type ClockTime, inDayPart, isAfterMidnight, timeOfDayText } from '../time/clock-time-phrases.js';
import { type CivilDay, chronoDay, type DateExpression, dayIn } from '../time/date-phrases.js';
import { emptyWhen, type When } from '../time/time-expression.js';
import { englishWeekdays } from '../time/weekdays-and-months.js';
import {
  aroundGap,
  clockInZone,
  dateText,
  dayText,
  instantsOf,
  momentText,
  monthDayText,
  rfc3339,
  wallTime,
} from './local-time.js';
import { effectiveZone, type ResolvedSchedule, readAnswer, type ScheduleResolver } from './schedule-questions.js';

const monthFirst = /^(?:en-US|zh|ja|ko)\b/;
const undecided = /^(?:en|en-CA)$/;

/** One possible reading of a date. */
interface Reading {
  date: CivilDay;
  label: string;
}

/** "Friday at midnight" can be the midnight at which Friday begins, or the one at which it ends. */
function eitherMidnight(date: CivilDay): { readings: Reading[]; question: string } {
  const readings = [date, date + day].map((it) => ({ date: it, label: dayText(it) }));
  return { readings, question: 'Which midnight?' };
}

/** Days that a date expression can mean, most likely first; `question` if a choice is needed. */
function possibleDays(
  said: DateExpression,
  today: CivilDay,
  now: number,
  time: ClockTime | undefined,
  resolver: ScheduleResolver,
): { readings: Reading[]; question?: string } {
  const one = (date: CivilDay) => ({ readings: [{ date, label: dayText(date) }] });
  switch (said.kind) {
    case 'civil':
      return one(Date.UTC(said.year, said.month - 1, said.day));
    case 'vague':
      return { readings: [], question: 'Which day?' };
    case 'phrase': {
      const found = chronoDay(said.phrase, today);
      if (found === undefined) return { readings: [], question: 'Which day?' };
      if (said.eve ? time?.hour === 0 && time.minute === 0 : said.phrase === 'tomorrow' && time?.midnight)
        return eitherMidnight(found);
      return onWeekday(found, said.weekday);
    }
    case 'dayOfMonth':
      return onWeekday(
        nextDayOfMonth(said.day, said.next ? firstOfNextMonth(today) : today, time, now, resolver),
        said.weekday,
      );
    case 'slashes':
      return readNumericDate(said, today, resolver.context.locale);
    case 'weekday': {
      const ahead = (said.weekday - new Date(today).getUTCDay() + 7) % 7;
      if (said.weeks > 0)
        return one(today - ((new Date(today).getUTCDay() + 6) % 7) * day + 7 * day + ((said.weekday + 6) % 7) * day);
      if (ahead > 0 && time?.midnight) return eitherMidnight(today + ahead * day);
      if (ahead > 0) return one(today + ahead * day);
      if (!time || time.ambiguous) return one(today);
      const zone = effectiveZone(resolver);
      const later = zone !== undefined && instantsOf(zone, wallTime(today, time)).some((instant) => instant > now);
      return later ? thisOrNext(today, said.weekday) : one(today + 7 * day);
    }
    case 'next': {
      const ahead = (said.weekday - new Date(today).getUTCDay() + 7) % 7;
      return ahead === 0 ? one(today + 7 * day) : thisOrNext(today + ahead * day, said.weekday);
    }
  }
}

/** A date, and the question about it if it was said together with another weekday than its own. */
function onWeekday(date: CivilDay, weekday: number | undefined): { readings: Reading[]; question?: string } {
  const readings = [{ date, label: dayText(date) }];
  const real = new Date(date).getUTCDay();
  if (weekday === undefined || weekday === real) return { readings };
  const question = `${dateText(date)} is a ${englishWeekdays[real]}, not a ${englishWeekdays[weekday]}. Which day?`;
  return { readings, question };
}

function thisOrNext(first: CivilDay, weekday: number) {
  const readings = [first, first + 7 * day].map((date) => ({ date, label: dayText(date) }));
  return { readings, question: `Which ${englishWeekdays[weekday]}?` };
}

function firstOfNextMonth(today: CivilDay): CivilDay {
  return Number(localTime('UTC', today).plus({ months: 1 }).startOf('month'));
}

/** The next such day of a month whose time is still ahead. */
function nextDayOfMonth(
  date: number,
  today: CivilDay,
  time: ClockTime | undefined,
  now: number,
  resolver: ScheduleResolver,
): CivilDay {
  const start = new Date(today);
  for (let months = 0; ; months++) {
    const found = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, date);
    if (new Date(found).getUTCDate() !== date || found < today) continue;
    const zone = effectiveZone(resolver);
    const passed =
      found === today &&
      time &&
      !time.ambiguous &&
      zone !== undefined &&
      instantsOf(zone, wallTime(found, time)).every((it) => it <= now);
    if (!passed) return found;
  }
}

function readNumericDate(
  said: Extract<DateExpression, { kind: 'slashes' }>,
  today: CivilDay,
  locale: string | undefined,
) {
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

/** A month and day in the given year, or in the next year that has it. */
function dateIn(month: number, date: number, year: number | undefined, today: CivilDay): CivilDay {
  const first = year ?? new Date(today).getUTCFullYear();
  for (let offset = 0; offset < 9; offset++) {
    const found = Date.UTC(first + offset, month - 1, date);
    if (new Date(found).getUTCDate() === date && (year !== undefined || found >= today)) return found;
  }
  return Date.UTC(first, month - 1, date);
}

/** The days of "Friday night at 1": the night ends on the next day. Only days whose time is still ahead are possible. */
function nightOf(
  days: ReturnType<typeof possibleDays>,
  { times = [] }: When,
  { part }: DateExpression,
  resolver: ScheduleResolver,
): ReturnType<typeof possibleDays> {
  const time = times.length === 1 && part === 'night' ? inDayPart(times[0]!, part) : undefined;
  if (days.question !== undefined || !time || !isAfterMidnight(time)) return days;
  const zone = effectiveZone(resolver);
  const { date } = days.readings[0]!;
  const ahead = [date, date + day].filter(
    (it) =>
      zone === undefined || instantsOf(zone, wallTime(it, time)).some((instant) => instant > resolver.context.now),
  );
  if (ahead.length === 0) return days;
  const readings = ahead.map((it) => ({ date: it, label: dayText(it) }));
  return { readings, ...(ahead.length > 1 && { question: 'Which night?' }) };
}

/** Parser for answers that name a day: one of the possible days by its number, or a day of the next week or month if one was said. */
function dayAnswer(
  when: When,
  date: DateExpression,
  possible: readonly When[],
  resolver: ScheduleResolver,
): Pick<Question, 'parseAnswer'> {
  const put = (more: When): ParsedRequest => resolver.rebuild({ ...when, ...more, recurrence: when.recurrence });
  return {
    parseAnswer: (answer) => {
      const number = /^(?:the )?(\d{1,2})$/i.exec(answer.trim())?.[1];
      const numbered = possible.filter((it) => it.date?.kind === 'civil' && it.date.day === Number(number));
      if (number !== undefined && possible.length > 0) return numbered.length === 1 ? put(numbered[0]!) : undefined;
      const text = number === undefined ? answer : `the ${number}th`;
      const said = readAnswer(text, emptyWhen());
      const next = date.kind === 'vague' ? date.next : undefined;
      if (said?.date?.kind === 'weekday' && next === 'week') return put({ ...said, date: { ...said.date, weeks: 1 } });
      if (said?.date?.kind === 'dayOfMonth' && next === 'month')
        return put({ ...said, date: { ...said.date, next: true } });
      // Another time of day does not say which day.
      const timeOnly = said?.times && !said.date && !said.start && Object.keys(said.recurrence).length === 0;
      return timeOnly ? put(said) : resolver.replacing('date').parseAnswer!(text);
    },
  };
}

/** Resolves a single run on a date. */
export function resolveDate(when: When, date: DateExpression, resolver: ScheduleResolver): ResolvedSchedule {
  const { now } = resolver.context;
  const today = dayIn(effectiveZone(resolver) ?? 'UTC', now);
  const time = when.times?.[0];
  const { readings, question } = nightOf(possibleDays(date, today, now, time, resolver), when, date, resolver);
  const civil = (reading: Reading): When => {
    const [year, month, dayOfMonth] = dateText(reading.date).split('-').map(Number) as [number, number, number];
    return { ...when, date: { kind: 'civil', year, month, day: dayOfMonth } };
  };
  if (question !== undefined) {
    const clear = when.times?.length === 1 && !time!.ambiguous ? ` ${timeOfDayText(time!)}` : '';
    const choices = readings.map((reading) =>
      resolver.choice(`${reading.label}${clear}`, civil(reading), dateText(reading.date)),
    );
    return resolver.ask({
      code: 'AMBIGUOUS_DATE',
      field: 'schedule.runAt',
      question,
      ...(choices.length > 0 && { choices }),
      ...dayAnswer(when, date, readings.map(civil), resolver),
    });
  }
  const resolved = resolver.resolveTimes({ ...civil(readings[0]!) });
  if (!('times' in resolved)) return resolved;
  if (resolved.times.length > 1)
    return resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run has one time. Which of these?',
      choices: resolved.times.map((it) =>
        resolver.choice(`${readings[0]!.label} ${timeOfDayText(it)}`, { ...civil(readings[0]!), times: [it] }),
      ),
    });
  return resolver.withZone(resolved.times[0]!, (zone) =>
    resolveInstant(readings[0]!.date, resolved.times[0]!, zone, today, resolver),
  );
}

function resolveInstant(
  date: CivilDay,
  time: ClockTime,
  zone: string,
  today: CivilDay,
  resolver: ScheduleResolver,
): ResolvedSchedule {
  const { now } = resolver.context;
  const wall = wallTime(date, time);
  const [clock, on] = [timeOfDayText(time), dateText(date)];
  const found = instantsOf(zone, wall);
  const once = (it: number): When => ({
    ...emptyWhen(),
    fixed: { scheduleType: 'once', schedule: { runAt: rfc3339(it) } },
  });
  const last = found.at(-1) ?? aroundGap(zone, wall).shifted;
  if (last <= now) return askPastInstant(date, time, zone, today, resolver);
  if (last > lastInstant)
    return resolver.ask({
      code: 'AMBIGUOUS_DATE',
      field: 'schedule.runAt',
      question: 'Which day?',
      ...resolver.replacing('date'),
    });
  if (found.length === 0) {
    const { before, after, shifted } = aroundGap(zone, wall);
    const choices = [
      resolver.choice(`${clockInZone(zone, before)} before the change`, once(before)),
      resolver.choice(`${clockInZone(zone, after)} right after the change`, once(after)),
      ...(shifted === after ? [] : [resolver.choice(clockInZone(zone, shifted), once(shifted))]),
    ];
    const question = `${clock} does not exist on ${on} in ${zone} (clocks go forward). Which one?`;
    return resolver.ask({
      code: 'NONEXISTENT_LOCAL_TIME',
      field: 'schedule.runAt',
      question,
      choices,
      ...resolver.replacing('times'),
    });
  }
  if (found.length === 1 || found[0]! <= now) return { scheduleType: 'once', schedule: { runAt: rfc3339(last) } };
  const question = `${clock} happens twice on ${on} in ${zone} (clocks go back). Which one?`;
  const choices = found.map((it, i) =>
    resolver.choice(`${clock} ${i === 0 ? 'before' : 'after'} the change`, once(it)),
  );
  return resolver.ask({
    code: 'AMBIGUOUS_LOCAL_TIME',
    field: 'schedule.runAt',
    question,
    choices,
    ...resolver.replacing('times'),
  });
}

function askPastInstant(
  date: CivilDay,
  time: ClockTime,
  zone: string,
  today: CivilDay,
  resolver: ScheduleResolver,
): ResolvedSchedule {
  const { now } = resolver.context;
  const said = date === today ? 'today' : date === today - day ? 'yesterday' : `on ${dateText(date)}`;
  const next =
    [today, today + day, today + 2 * day].find((it) => instantsOf(zone, wallTime(it, time))[0]! > now) ?? today + day;
  const word = next === today ? 'Today' : 'Tomorrow';
  const runAt = instantsOf(zone, wallTime(next, time))[0] ?? aroundGap(zone, wallTime(next, time)).after;
  const fixed = (it: number): When => ({
    ...emptyWhen(),
    fixed: { scheduleType: 'once', schedule: { runAt: rfc3339(it) } },
  });
  return resolver.ask({
    code: 'PAST_INSTANT',
    field: 'schedule.runAt',
    question: `${timeOfDayText(time)} ${said} (${zone}) has already passed. ${word} at ${timeOfDayText(time)} instead?`,
    choices: [
      resolver.choice(momentText(zone, runAt), fixed(runAt)),
      { ...resolver.choice('run it now', fixed(nextMinute(now))), value: 'run_now' },
    ],
    ...resolver.replacing('date'),
  });
}

/** The next whole minute: "now" for a single run, which must be in the future. */
function nextMinute(now: number): number {
  return (Math.floor(now / 60_000) + 1) * 60_000;
}

/** Resolves a single run at a time of day without a date: its next occurrence. */
export function resolveTimeOfDay(when: When, resolver: ScheduleResolver): ResolvedSchedule {
  const resolved = resolver.resolveTimes(when);
  if (!('times' in resolved)) return resolved;
  if (resolved.times.length > 1) {
    const daily: When = { ...when, times: resolved.times, recurrence: { every: { count: 1, unit: 'day' } } };
    const clocks = resolved.times.map(timeOfDayText);
    return resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run has one time. Which of these?',
      choices: [
        resolver.choice(`every day at ${listInWords(clocks)}`, daily, 'every day', true),
        ...resolved.times.map((time, i) =>
          resolver.choice(`once at ${clocks[i]}`, { ...when, times: [time] }, clocks[i]!, true),
        ),
      ],
      ...resolver.replacing('times'),
    });
  }
  return resolver.withZone(resolved.times[0]!, (zone) => {
    const { now } = resolver.context;
    const today = dayIn(zone, now);
    const time = resolved.times[0]!;
    const passed =
      instantsOf(zone, wallTime(today, time)).every((it) => it <= now) &&
      instantsOf(zone, wallTime(today, time)).length > 0;
    const on = new Date(passed ? today + day : today);
    const date: DateExpression = {
      kind: 'civil',
      year: on.getUTCFullYear(),
      month: on.getUTCMonth() + 1,
      day: on.getUTCDate(),
    };
    return resolveDate({ ...when, times: resolved.times, date }, date, resolver);
  });
}

/** Resolves a single run after a delay. */
export function resolveDelay(delay: number, resolver: ScheduleResolver): ResolvedSchedule {
  return { scheduleType: 'once', schedule: { runAt: rfc3339(wholeSecond(resolver.context.now + delay)) } };
}
