import { durationInWords } from '../../cadence/duration-wording.js';
import { enumerate } from '../../cadence/occurrences.js';
import { readCron } from '../../cadence/read-cadence-fields.js';
import { weekdayField, weekdaysOf, withoutExceptions } from '../time/calendar-recurrence-phrases.js';
import { type ClockTime, isAfterMidnight, timeOfDayText } from '../time/clock-time-phrases.js';
import { minutesOf, timeFields, timesWithin } from '../time/cron-expressions.js';
import type { FixedSchedule, When } from '../time/time-expression.js';
import { emptyWhen, isWithinDay, type Recurrence, unitSeconds as seconds } from '../time/time-expression.js';
import { askUnfit, askUnsupported } from './ask-about-unsupported-recurrence.js';
import { recurrenceText } from './describe-recurrence.js';
import type { ResolvedSchedule, ScheduleResolver } from './schedule-questions.js';

/**
 * Resolves a recurring schedule. Asks first about what cadences cannot express, then about parts that do not fit together, then about
 * days, times and zone.
 */
export function resolveRecurrence(spoken: When, resolver: ScheduleResolver): ResolvedSchedule {
  const when = { ...spoken, recurrence: timesPerHour(withoutExceptions(spoken.recurrence) ?? spoken.recurrence) };
  const { every, ...limits } = when.recurrence;
  const beyond = askUnsupported(when, resolver) ?? askUnfit(when, resolver);
  if (beyond) return beyond;
  if (every && isWithinDay(every.unit)) {
    if (Object.keys(limits).length > 0) return resolveWithinHours(when, resolver);
    return resolveInterval(when, every.count * seconds[every.unit], resolver);
  }
  if (limits.minuteOf !== undefined) return resolveWithinHours(when, resolver);
  if (every && every.count !== 1) {
    if (every.unit === 'year' || (every.unit === 'month' && every.count > 12))
      return resolveInterval(
        when,
        Math.round(every.count * (every.unit === 'year' ? seconds.year : 2_628_000)),
        resolver,
      );
    if (every.unit === 'day' || every.unit === 'week')
      return resolveInterval(when, every.count * seconds[every.unit], resolver);
  }
  return resolveCalendar(when, resolver);
}

/** "twice an hour" is every 30 minutes. */
function timesPerHour({ perUnit, ...rest }: Recurrence): Recurrence {
  if (perUnit === undefined) return rest;
  return rest.every?.unit === 'hour' && rest.every.count === 1 && 3600 % perUnit === 0 && !rest.minuteOf
    ? { ...rest, every: { count: 3600 / perUnit, unit: 'second' } }
    : { ...rest, perUnit };
}

/** Resolves a fixed interval, anchored at its start if one was given. */
function resolveInterval(when: When, everySeconds: number, resolver: ScheduleResolver): ResolvedSchedule {
  const begin = when.start && (when.start.date || when.start.times) ? when.start : undefined;
  const spoken = begin ? { ...(when.times && { times: when.times }), ...begin } : undefined;
  const start = spoken ?? (when.times ? { recurrence: {}, times: when.times } : undefined);
  const moments = start?.times ?? [];
  if (start && moments.length > 1)
    return resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'An interval starts at one time. Which of these?',
      choices: moments.map((time) =>
        resolver.choice(
          timeOfDayText(time),
          { ...withoutTimes(when), start: { ...start, times: [time] } },
          timeOfDayText(time),
          true,
        ),
      ),
      ...resolver.replacing('times', 'start'),
    });
  const whole = Math.max(0, Math.round(everySeconds * 1000) / 1000);
  if (!start) return { scheduleType: 'interval', schedule: { everySeconds: whole } };
  const { times: _, ...rest } = when;
  const zone = start.zone ?? when.zone;
  // The start is resolved like a single run; answers about it are put back into the start.
  const first = resolver.resolveNested(
    { ...start, ...(zone && { zone }), ...(when.part !== undefined && { part: when.part }) },
    (other) => ({ ...rest, start: other }),
  );
  if ('question' in first) return first;
  return { scheduleType: 'interval', schedule: { everySeconds: whole, anchorAt: first.schedule.runAt! } };
}

const wholeDay: [ClockTime, ClockTime] = [
  { hour: 0, minute: 0 },
  { hour: 24, minute: 0 },
];

/** Resolves an interval of minutes or hours that is limited to some days or hours. */
function resolveWithinHours(when: When, resolver: ScheduleResolver): ResolvedSchedule {
  const { every = { count: 1, unit: 'hour' as const }, window, minuteOf } = when.recurrence;
  const step = (every.count * seconds[every.unit]) / 60;
  const hourly = step % 60 === 0;
  const even = hourly ? window !== undefined || 1440 % step === 0 : Number.isInteger(step) && 60 % step === 0;
  if (!even || (!hourly && minuteOf !== undefined)) {
    const label = `every ${durationInWords(step * 60_000)}, on all days and at all hours`;
    // The days of a job that is changed would come back with a recurrence.
    const plainly: When =
      when.recurrence.days === undefined
        ? { ...when, recurrence: { every } }
        : { ...emptyWhen(), fixed: { scheduleType: 'interval', schedule: { everySeconds: step * 60 } } };
    return resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: `Every-${every.count}-${every.unit}s schedules on some days or hours only are not expressible in cron. Which of these?`,
      choices: [resolver.choice(label, plainly, label, true)],
      ...resolver.replacing('recurrence'),
    });
  }
  const said = when.times ?? when.start?.times;
  if (!window && said) return askUntilWhen(when, said, step, resolver);
  const within = (times: ClockTime[]): When => ({
    ...when,
    recurrence: { ...when.recurrence, window: [times[0]!, times[1]!] },
  });
  const bounds = resolver.resolveTimes(when, window ?? wholeDay, within);
  if ('question' in bounds) return bounds;
  const [from, to] = bounds.times as [ClockTime, ClockTime];
  const times = timesWithin(minutesOf(from), minutesOf(to), step, minuteOf);
  const fields = timeFields(times, window === undefined);
  if (!fields) return askWholeHours(within, times, step, resolver);
  return resolver.withZone(window ? from : undefined, (timezone): ResolvedSchedule => {
    const cron: FixedSchedule = {
      scheduleType: 'cron',
      schedule: { expression: `${fields} ${dayFields(when.recurrence)}`, timezone },
    };
    const pastMidnight = times[0]! < minutesOf(from) && dayFields(when.recurrence) !== '* * *';
    if (pastMidnight) return askPastMidnight(within([from, { hour: 23, minute: 59 }]), cron, resolver);
    return askLaterStart(when, cron, timezone, resolver) ?? cron;
  });
}

/** Question about "every hour from 10pm to 2am on Fridays": the hours after midnight are on another day. */
function askPastMidnight(before: When, whole: FixedSchedule, resolver: ScheduleResolver): ResolvedSchedule {
  const fixed: When = { ...emptyWhen(), ...(before.zone && { zone: before.zone }), fixed: whole };
  // A fixed schedule cannot have a start, which must not be dropped.
  const choices = (before.start ? [before] : [before, fixed]).map((it, i) => {
    const { label = i === 0 ? 'until midnight' : 'all hours on the same days' } = resolver.scheduleText(it);
    return resolver.choice(label, it, label, true);
  });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'The hours after midnight are on the next day, which one cron schedule cannot express. Which of these?',
    choices,
    ...resolver.replacing('recurrence'),
  });
}

/** Question about "every 2 hours on weekdays starting at 9am": a cron schedule begins anew each day. */
function askUntilWhen(when: When, said: ClockTime[], step: number, resolver: ScheduleResolver): ResolvedSchedule {
  const clock = resolver.resolveTimes(when, said, (times) => ({ ...withoutTimes(when), times }));
  if ('question' in clock) return clock;
  const first = clock.times[0]!;
  const { times: _, ...start } = when.start ?? { recurrence: {} };
  const { start: __, ...rest } = withoutTimes(when);
  const from = (time: ClockTime): When => ({
    ...rest,
    ...(start.date && { start }),
    recurrence: { ...when.recurrence, window: [time, { hour: 23, minute: 59 }] },
  });
  const phase = minutesOf(first) % step;
  const around = from({ hour: Math.floor(phase / 60), minute: phase % 60 });
  const choices = [from(first), ...(phase === minutesOf(first) ? [] : [around])].map((it, i) => {
    const { label = i === 0 ? `from ${timeOfDayText(first)} to midnight` : 'all day' } = resolver.scheduleText(it);
    return resolver.choice(label, it, label, true);
  });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `Should it run from ${timeOfDayText(first)} to midnight on each of these days, or all day?`,
    choices,
    ...resolver.replacing('times', 'start'),
  });
}

/** Question about a window that does not consist of whole steps: cron repeats the same minutes in every hour. */
function askWholeHours(
  within: (times: ClockTime[]) => When,
  times: readonly number[],
  step: number,
  resolver: ScheduleResolver,
): ResolvedSchedule {
  const [first, last] = [Math.floor(times[0]! / 60), Math.floor(times.at(-1)! / 60)];
  const minute = (times[0]! % 60) % step;
  const hours: [number, number][] = [
    [first, last],
    [first + (minute < times[0]! % 60 ? 1 : 0), last + 1],
  ];
  const choices = hours
    .filter(([from, to]) => from < to)
    .flatMap(([from, to]) => {
      const it = within([
        { hour: from, minute },
        { hour: to % 24, minute },
      ]);
      const { label } = resolver.scheduleText(it);
      return label === undefined ? [] : [resolver.choice(label, it, label, true)];
    });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'A cron schedule runs at the same minutes of every hour. Which of these?',
    ...(choices.length > 0 && { choices }),
    ...resolver.replacing('recurrence'),
  });
}

/** Day of month, month and weekday of a cron expression. */
function dayFields({ every, weekdays, monthDays, months, yearDay, days }: Recurrence): string {
  if (days !== undefined) return days;
  if (yearDay) return `${yearDay.day} ${yearDay.month} *`;
  const month = months ? weekdayField(months) : every?.unit === 'quarter' ? '1,4,7,10' : '*';
  return `${monthDays?.join(',') ?? '*'} ${month} ${weekdays ?? '*'}`;
}

/** Resolves times of day on calendar days. */
function resolveCalendar(when: When, resolver: ScheduleResolver): ResolvedSchedule {
  const { every, perUnit } = when.recurrence;
  const missing = missingDayQuestion(when.recurrence);
  if (missing !== undefined)
    return resolver.ask({
      code: 'MISSING_TIME',
      field: 'schedule.day',
      question: missing,
      ...resolver.addingDays(),
    });
  const missingTimes = every?.unit === 'day' && perUnit !== undefined && askForTimes(when, perUnit, resolver);
  if (missingTimes) return missingTimes;
  const clock = resolver.resolveTimes(when.times ? when : withStart(when));
  if ('question' in clock) return clock;
  if (when.part === 'night' && when.recurrence.weekdays !== undefined && clock.times.every(isAfterMidnight))
    return askWhichNight(when, clock.times, when.recurrence.weekdays, resolver);
  const minutes = [...new Set(clock.times.map(({ minute }) => minute))].sort((a, b) => a - b);
  const hours = [...new Set(clock.times.map(({ hour }) => hour))].sort((a, b) => a - b);
  if (minutes.length * hours.length !== new Set(clock.times.map(timeOfDayText)).size)
    return resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'Times with different minutes are not expressible in one cron. Which of these?',
      choices: clock.times.map((time) => {
        const one = { ...when, times: [time] };
        return resolver.choice(recurrenceText(one, resolver), one, timeOfDayText(time), true);
      }),
      ...resolver.replacing('times'),
    });
  return resolver.withZone(clock.times[0], (timezone) => {
    const cron: FixedSchedule = {
      scheduleType: 'cron',
      schedule: { expression: `${minutes.join(',')} ${hours.join(',')} ${dayFields(when.recurrence)}`, timezone },
    };
    return askLaterStart(when, cron, timezone, resolver) ?? cron;
  });
}

/** Question about the times of "twice a day", as long as they are not two; an answer adds to the times that were said. */
function askForTimes(when: When, count: number, resolver: ScheduleResolver): ResolvedSchedule | undefined {
  const { times = [] } = when;
  const left = count - times.length;
  if (left === 0) return undefined;
  const which =
    left < 0 || times.length === 0 ? `${count} times of the day` : left === 1 ? 'other time' : 'other times';
  return resolver.ask({
    code: 'MISSING_TIME',
    field: 'schedule.time',
    question: `At which ${which} should it run?`,
    ...(left > 0 && times.length > 0 ? resolver.addingTimes() : resolver.replacing('times')),
  });
}

/** Question about "Friday nights at 1": the night ends on the next day. */
function askWhichNight(
  { part: _, ...when }: When,
  times: ClockTime[],
  weekdays: string,
  resolver: ScheduleResolver,
): ResolvedSchedule {
  const next = weekdayField(weekdaysOf(weekdays).map((weekday) => (weekday + 1) % 7));
  const choices = [weekdays, next].map((days) => {
    const it: When = { ...when, times, recurrence: { ...when.recurrence, weekdays: days } };
    const label = recurrenceText(it, resolver);
    return resolver.choice(label, it, label, true);
  });
  return resolver.ask({
    code: 'AMBIGUOUS_DATE',
    field: 'schedule.day',
    question: 'A night ends on the next day. Which of these?',
    choices,
    ...resolver.replacing('times', 'part'),
  });
}

function withoutTimes({ times: _, ...rest }: When): When {
  return rest;
}

/** "every day starting at 8am" also gives the time of day. */
function withStart(when: When): When {
  return when.start?.times ? { ...when, times: when.start.times } : when;
}

const manyTimes = ['', 'once', 'twice'];

/** Question about the day, if the recurrence does not name one, or names fewer than it has runs. */
function missingDayQuestion(recurrence: Recurrence): string | undefined {
  const { every, weekdays, monthDays, yearDay, days, months, perUnit = 1 } = recurrence;
  if (days !== undefined || yearDay) return undefined;
  const said = weekdays === undefined ? monthDays?.length : weekdaysOf(weekdays).length;
  const unit = every?.unit === 'quarter' ? 'month' : every?.unit;
  if (said === undefined) {
    if (unit === 'week' || unit === 'month')
      return perUnit > 1
        ? `On which ${perUnit} days of the ${unit} should it run?`
        : `On which day of the ${unit} should it run?`;
    if (unit === 'year') return 'On which day of the year should it run?';
    return !every && months ? 'On which days should it run?' : undefined;
  }
  if (perUnit === 1 || unit === 'day' || said === perUnit) return undefined;
  const often = `${manyTimes[perUnit] ?? `${perUnit} times`} a ${unit}`;
  if (said > perUnit) return `That is ${said} days, not ${often}. On which days of the ${unit} should it run?`;
  return perUnit - said === 1
    ? `On which other day of the ${unit} should it run?`
    : `On which other days of the ${unit} should it run?`;
}

/** Question about a start date: a cron schedule has none, so a date that changes the first run is asked about. */
function askLaterStart(
  when: When,
  cron: FixedSchedule,
  zone: string,
  resolver: ScheduleResolver,
): ResolvedSchedule | undefined {
  const date = when.start?.date;
  if (!date) return undefined;
  const { start: _, ...rest } = when;
  const first = resolver.resolveNested(
    { recurrence: {}, date, times: [{ hour: 0, minute: 0 }], zone: { zone } },
    (other) => ({
      ...when,
      start: other,
    }),
  );
  if ('question' in first && first.question.code !== 'PAST_INSTANT') return first;
  const { cadence } = readCron(cron.schedule.expression as string, zone);
  const [fires] = cadence ? enumerate(cadence, resolver.context.now, { count: 1 }) : [];
  if ('question' in first || (fires !== undefined && fires >= Date.parse(first.schedule.runAt as string)))
    return undefined;
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'A cron schedule starts immediately. Which of these?',
    choices: [resolver.choice(recurrenceText(rest, resolver), rest, 'at once', true)],
    ...resolver.replacing('start'),
  });
}
