import { enumerate } from '../scheduling/cadence/occurrences.js';
import { readCron } from '../scheduling/cadence/read.js';
import { type ClockTime, clockOf } from './clock.js';
import { summary } from './recurrence-text.js';
import { type Recurrence, unitSeconds as seconds } from './recurrence-type.js';
import type { Settled, Settling } from './settling.js';
import { unsupported } from './unsupported.js';
import type { FixedSchedule, When } from './when.js';

/** A schedule that repeats, or what stands in its way: first what no cadence can say, then days, times and zone. */
export function settleRecurrence(when: When, at: Settling): Settled {
  const { recurrence } = when;
  const beyond = unsupported(when, at);
  if (beyond) return beyond;
  const { every } = recurrence;
  const short = every && /^(?:second|minute|hour)$/.test(every.unit);
  const limited =
    recurrence.weekdays !== undefined ||
    recurrence.window !== undefined ||
    recurrence.minuteOf !== undefined ||
    recurrence.monthDays !== undefined;
  if (short && !limited) return interval(when, every.count * seconds[every.unit], at);
  if (short || (recurrence.minuteOf !== undefined && !every)) return withinHours(when, at);
  if (every && every.count !== 1) {
    if (every.unit === 'year' || (every.unit === 'month' && every.count > 12))
      return interval(when, Math.round(every.count * (every.unit === 'year' ? seconds.year : 2_628_000)), at);
    if (every.unit === 'day' || every.unit === 'week') return interval(when, every.count * seconds[every.unit], at);
  }
  return calendar(when, at);
}

/** A fixed stretch of time, counted from where it starts if that was said. */
function interval(when: When, everySeconds: number, at: Settling): Settled {
  const start =
    when.start && (when.start.date || when.start.times)
      ? when.start
      : when.times
        ? { recurrence: {}, times: when.times }
        : undefined;
  const moments = start?.times ?? [];
  if (start && moments.length > 1)
    return at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'An interval starts at one time. Which of these?',
      choices: moments.map((time) =>
        at.choice(clockOf(time), { ...withoutTimes(when), start: { ...start, times: [time] } }, clockOf(time), true),
      ),
      ...at.anew('times', 'start'),
    });
  const whole = Math.max(0, Math.round(everySeconds * 1000) / 1000);
  if (!start) return { scheduleType: 'interval', schedule: { everySeconds: whole } };
  const { times: _, ...rest } = when;
  const zone = start.zone ?? when.zone;
  // Where it starts is settled like a single run; an answer to a question about that goes back to where it was said.
  const first = at.within(
    { ...start, ...(zone && { zone }), ...(when.part !== undefined && { part: when.part }) },
    (other) => ({ ...rest, start: other }),
  );
  if ('question' in first) return first;
  return { scheduleType: 'interval', schedule: { everySeconds: whole, anchorAt: first.schedule.runAt! } };
}

/** Every so many minutes or hours, on some days or within some hours only. */
function withinHours(when: When, at: Settling): Settled {
  const { every = { count: 1, unit: 'hour' as const }, weekdays = '*', window, minuteOf, monthDays } = when.recurrence;
  const plainly: When = { ...when, recurrence: { every } };
  const size = every.unit === 'minute' ? 60 : 24;
  if (every.unit === 'second' || size % every.count !== 0 || (every.unit === 'minute' && minuteOf !== undefined)) {
    const label = `every ${every.count} ${every.unit}s, on all days and at all hours`;
    return at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: `Every-${every.count}-${every.unit}s schedules on some days or hours only are not expressible in cron. Which of these?`,
      choices: [at.choice(label, plainly, label, true)],
      ...at.anew('recurrence'),
    });
  }
  const put = (times: ClockTime[]): When => ({
    ...when,
    recurrence: { ...when.recurrence, window: [times[0]!, times[1]!] },
  });
  const bounds = at.clock(
    when,
    window ?? [
      { hour: 0, minute: 0 },
      { hour: 23, minute: 59 },
    ],
    put,
  );
  if ('question' in bounds) return bounds;
  const [from, to] = bounds.times as [ClockTime, ClockTime];
  return at.zoned(window ? from : undefined, (timezone): Settled => {
    const minutes =
      every.unit === 'minute'
        ? every.count === 1
          ? '*'
          : every.count === 60
            ? '0'
            : `*/${every.count}`
        : String(minuteOf ?? (window ? from.minute : 0));
    // Within the hours that were said: the last one only counts if something still fits before its end.
    const last = every.unit === 'minute' && to.minute === 0 ? to.hour - 1 : to.hour;
    const hours = window
      ? hourField(from.hour, last, every.unit === 'hour' ? every.count : 1)
      : every.unit === 'hour' && every.count > 1
        ? every.count === 24
          ? '0'
          : `*/${every.count}`
        : '*';
    return {
      scheduleType: 'cron',
      schedule: { expression: `${minutes} ${hours} ${monthDays?.join(',') ?? '*'} * ${weekdays}`, timezone },
    };
  });
}

function hourField(from: number, to: number, step: number): string {
  const end = to < from ? to + 24 : to;
  const hours: number[] = [];
  for (let hour = from; hour <= end; hour += step) hours.push(hour % 24);
  if (hours.length === 1) return String(hours[0]);
  if (to >= from && step === 1) return `${from}-${to}`;
  return hours.sort((a, b) => a - b).join(',');
}

/** A time of day on some days. */
function calendar(when: When, at: Settling): Settled {
  const { every, weekdays, monthDays, yearDay, perUnit, days } = when.recurrence;
  const missing = missingDay(when.recurrence);
  if (missing !== undefined)
    return at.ask({ code: 'MISSING_TIME', field: 'schedule.day', question: missing, ...at.anew('date') });
  const fields =
    days ??
    (yearDay
      ? `${yearDay.day} ${yearDay.month} *`
      : monthDays
        ? `${monthDays.join(',')} ${every?.unit === 'quarter' ? '1,4,7,10' : '*'} *`
        : `* * ${weekdays ?? '*'}`);
  const clock = at.clock(
    perUnit !== undefined && every?.unit === 'day' && when.times && when.times.length !== perUnit
      ? withoutTimes(when)
      : when.times
        ? when
        : withStart(when),
  );
  if ('question' in clock) return clock;
  const minutes = [...new Set(clock.times.map(({ minute }) => minute))].sort((a, b) => a - b);
  const hours = [...new Set(clock.times.map(({ hour }) => hour))].sort((a, b) => a - b);
  if (minutes.length * hours.length !== new Set(clock.times.map(clockOf)).size)
    return at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'Times with different minutes are not expressible in one cron. Which of these?',
      choices: clock.times.map((time) => {
        const one = { ...when, times: [time] };
        return at.choice(summary(one, at), one, clockOf(time), true);
      }),
      ...at.anew('times'),
    });
  return at.zoned(clock.times[0], (timezone) => {
    const cron: FixedSchedule = {
      scheduleType: 'cron',
      schedule: { expression: `${minutes.join(',')} ${hours.join(',')} ${fields}`, timezone },
    };
    return startsLater(when, cron, timezone, at) ?? cron;
  });
}

function withoutTimes({ times: _, ...rest }: When): When {
  return rest;
}

/** "every day starting at 8am" names the time too. */
function withStart(when: When): When {
  return when.start?.times ? { ...when, times: when.start.times } : when;
}

/** What is missing to know the days. */
function missingDay({ every, weekdays, monthDays, yearDay, days }: Recurrence): string | undefined {
  if (weekdays !== undefined || monthDays || yearDay || days !== undefined || !every) return undefined;
  if (every.unit === 'week') return 'On which day of the week should it run?';
  if (every.unit === 'month' || every.unit === 'quarter') return 'On which day of the month should it run?';
  return every.unit === 'year' ? 'On which day of the year should it run?' : undefined;
}

/** A cron has no first day: a question when one was named that makes a difference. */
function startsLater(when: When, cron: FixedSchedule, zone: string, at: Settling): Settled | undefined {
  const date = when.start?.date;
  if (!date) return undefined;
  const { start: _, ...rest } = when;
  const first = at.within({ recurrence: {}, date, times: [{ hour: 0, minute: 0 }], zone: { zone } }, (other) => ({
    ...when,
    start: other,
  }));
  if ('question' in first && first.question.code !== 'PAST_INSTANT') return first;
  const { cadence } = readCron(cron.schedule.expression as string, zone);
  const [fires] = cadence ? enumerate(cadence, at.context.now, { count: 1 }) : [];
  if ('question' in first || (fires !== undefined && fires >= Date.parse(first.schedule.runAt as string)))
    return undefined;
  return at.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'A cron schedule starts at once. Which of these?',
    choices: [at.choice(summary(rest, at), rest, 'at once', true)],
    ...at.anew('start'),
  });
}
