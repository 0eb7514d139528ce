import { day } from '../../cadence/cadence.js';
import { listInWords } from '../../cadence/duration-wording.js';
import type { ParsedRequest } from '../parsed-request-types.js';
import { type ClockTime, timeOfDayText } from '../time/clock-time-phrases.js';
import { dayIn } from '../time/date-phrases.js';
import { emptyWhen, isWithinDay, type Recurrence, unitSeconds as seconds, type When } from '../time/time-expression.js';
import { englishMonths, englishWeekdays } from '../time/weekdays-and-months.js';
import { datesText, recurrenceText, timesText, weekdaysText } from './describe-recurrence.js';
import { instantsOf, momentText, monthDayText, rfc3339, wallTime } from './local-time.js';
import { effectiveZone, type ResolvedSchedule, readAnswer, type ScheduleResolver } from './schedule-questions.js';

/** Question with alternatives for a recurrence that cadences cannot express; undefined if it can be expressed. */
export function askUnsupported(when: When, resolver: ScheduleResolver): ResolvedSchedule | undefined {
  const { recurrence } = when;
  const { every, nth, lastDay, beyond, ...others } = recurrence;
  const { weekdays: _, ...rest } = others;
  const kept: Recurrence = { ...(every && isWithinDay(every.unit) && { every }), ...rest };
  const ask = (what: string, ...alternatives: [string, When][]): ResolvedSchedule =>
    resolver.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: `${what} Which of these?`,
      choices: alternatives.map(([label, other]) => resolver.choice(label, other, label, true)),
      parseAnswer: (answer) => repeating(answer, { ...when, recurrence: kept }, nth !== undefined || lastDay, resolver),
    });
  const on = (other: Recurrence, more: Partial<When> = {}): When => ({ ...when, ...more, recurrence: other });
  const atTime = timesText(when);
  if (nth) {
    const name = nth.weekday === 7 ? 'weekday' : englishWeekdays[nth.weekday]!;
    const which = listInWords(
      nth.ranks.map((rank) => ['last', '', 'first', 'second', 'third', 'fourth', 'fifth'][rank + 1]!),
    );
    const near = nth.ranks.map((rank) => (rank < 0 ? 28 : rank * 7 - 6));
    const field = nth.weekday === 7 ? '1-5' : String(nth.weekday);
    return ask(
      `"${which[0]!.toUpperCase()}${which.slice(1)} ${name} of the month" is not expressible in 5-field cron.`,
      [`every ${name}${atTime}`, on({ ...kept, weekdays: field })],
      [`${datesText(near)}${atTime}`, on({ ...kept, monthDays: near })],
    );
  }
  if (lastDay)
    return ask(
      '"Last day of the month" is not expressible in 5-field cron.',
      [`the 28th${atTime}`, on({ ...kept, monthDays: [28] })],
      [`the 1st${atTime}`, on({ ...kept, monthDays: [1] })],
    );
  if (beyond !== undefined) {
    const plain = on({ ...(every && { every }), ...others });
    return ask(`${beyond} are not expressible in cron.`, [recurrenceText(plain, resolver), plain]);
  }
  if (when.end) {
    const { end: _, ...endless } = when;
    return ask('A schedule has no end of its own.', [
      `${recurrenceText(endless, resolver)} until it is deleted`,
      endless,
    ]);
  }
  const alternating = askAlternating(when, resolver, ask, on);
  if (alternating) return alternating;
  if (every?.unit === 'month' && every.count > 1 && every.count <= 12 && rest.monthDays) {
    if (12 % every.count !== 0)
      return ask(`Every-${every.count}-months schedules are not expressible in cron.`, [
        `${datesText(rest.monthDays)} of every month${atTime}`,
        on({ monthDays: rest.monthDays }),
      ]);
    const phases = Array.from({ length: every.count }, (_, i) =>
      Array.from({ length: 12 / every.count }, (__, k) => i + 1 + k * every.count),
    );
    return ask(
      `Every-${every.count}-months schedules need their months.`,
      ...phases.map((months): [string, When] => [
        `${datesText(rest.monthDays!)} of ${listInWords(months.map((month) => englishMonths[month - 1]!))}${atTime}`,
        on({ days: `${rest.monthDays!.join(',')} ${months.join(',')} *` }),
      ]),
    );
  }
  return undefined;
}

/**
 * Reads an answer about a schedule that repeats: "the 8th" is the 8th of every month, not a single day. A weekday alone may be either,
 * and "the first" the first option, so that the question is asked again.
 */
function repeating(
  answer: string,
  kept: When,
  monthly: boolean | undefined,
  resolver: ScheduleResolver,
): ParsedRequest | undefined {
  const { when, rebuild } = resolver;
  const said = readAnswer(answer, emptyWhen());
  const number = /^(?:on )?(?:the |day )?(\d{1,2})(?:st|nd|rd|th)?(?: (?:of (?:each|every|the) month))?$/i.exec(
    answer.trim(),
  )?.[1];
  const day =
    number === undefined ? (said?.date?.kind === 'dayOfMonth' && !said.date.next ? said.date.day : 0) : Number(number);
  if (monthly && day >= 1 && day <= 31) {
    const { date: _, recurrence: __, ...others } = (number === undefined && said) || emptyWhen();
    const { end: ___, start: ____, ...rest } = kept;
    return rebuild({ ...rest, ...others, recurrence: { ...rest.recurrence, monthDays: [day] } });
  }
  const bareDay = said?.date?.kind === 'weekday' && !said.date.weeks && !/\b(?:this|on|coming)\b/i.test(answer);
  if (bareDay || (monthly && /^the (?:first|second|third|fourth|fifth)[.!]?$/i.test(answer.trim())))
    return rebuild(when);
  return resolver.replacing('recurrence', 'end', 'start').parseAnswer!(answer);
}

/**
 * Question about parts of a recurrence that do not fit together, like "every quarter on Monday"; undefined if all of them can be used.
 * No part that was said may be missing in the schedule.
 */
export function askUnfit(when: When, resolver: ScheduleResolver): ResolvedSchedule | undefined {
  const unfit = unfitPart(when);
  if (!unfit) return undefined;
  const without: When = { ...when, recurrence: { ...when.recurrence } };
  if (unfit.key === 'start' || unfit.key === 'part') delete without[unfit.key];
  else delete without.recurrence[unfit.key];
  const { label } = Object.keys(without.recurrence).length > 0 ? resolver.scheduleText(without) : {};
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `I cannot combine "${unfit.text}" with the rest. ${label === undefined ? 'When should it run?' : 'Which of these?'}`,
    ...(label !== undefined && { choices: [resolver.choice(label, without, label, true)] }),
    ...resolver.replacing('recurrence', 'start', 'part'),
  });
}

type Part = keyof Recurrence &
  ('weekdays' | 'monthDays' | 'yearDay' | 'months' | 'window' | 'perUnit' | 'days' | 'every');

/** The first part that a schedule of this kind has no place for. */
function unfitPart({
  recurrence,
  times,
  start,
  part,
}: When): { key: Part | 'start' | 'part'; text: string } | undefined {
  const { every, weekdays, monthDays, yearDay, months, window, minuteOf, days, perUnit } = recurrence;
  const short = every ? isWithinDay(every.unit) : minuteOf !== undefined;
  const texts: Record<Part, () => string> = {
    weekdays: () => weekdaysText(weekdays!),
    monthDays: () => datesText(monthDays!),
    yearDay: () => monthDayText(yearDay!.month, yearDay!.day),
    months: () => `in ${listInWords(months!.map((month) => englishMonths[month - 1]!))}`,
    window: () => `from ${timeOfDayText(window![0])} to ${timeOfDayText(window![1])}`,
    perUnit: () => `${perUnit} times a ${every?.unit}`,
    days: () => 'the days it has',
    every: () => `every ${every!.count === 1 ? '' : `${every!.count} `}${every!.unit}`,
  };
  const dayParts: Part[] = ['days', 'yearDay', 'monthDays', 'weekdays'];
  const [, second] = dayParts.filter((key) => recurrence[key] !== undefined);
  const fits: Record<string, Part[]> = {
    day: ['days', 'months'],
    week: ['weekdays', 'months', 'days'],
    month: ['monthDays', 'months', 'days'],
    quarter: ['monthDays'],
    year: ['yearDay'],
  };
  const misfit =
    every &&
    !short &&
    [...dayParts, 'months' as const].find((key) => recurrence[key] !== undefined && !fits[every.unit]!.includes(key));
  const key =
    second ??
    misfit ??
    (months && (yearDay || days !== undefined) ? 'months' : undefined) ??
    (minuteOf !== undefined && every && !short ? 'every' : undefined) ??
    (perUnit !== undefined && (short || every?.unit === 'year') && minuteOf?.length !== perUnit
      ? 'perUnit'
      : undefined) ??
    (window && !short ? 'window' : undefined);
  if (key) return { key, text: texts[key]() };
  if (short && part !== undefined && !times && !start?.times && !window)
    return { key: 'part', text: part === 'night' ? 'at night' : `in the ${part}` };
  const begin = start?.times?.[0];
  const said = window?.[0] ?? times?.[0];
  return begin && said && timeOfDayText(begin) !== timeOfDayText(said)
    ? { key: 'start', text: `starting at ${timeOfDayText(begin)}` }
    : undefined;
}

type Ask = (what: string, ...alternatives: [string, When][]) => ResolvedSchedule;

/** Question about "every other Tuesday" and "every third day at nine". */
function askAlternating(
  when: When,
  resolver: ScheduleResolver,
  ask: Ask,
  on: (other: Recurrence) => When,
): ResolvedSchedule | undefined {
  const { every, weekdays } = when.recurrence;
  if (!every || every.count < 2 || !Number.isInteger(every.count) || (every.unit !== 'day' && every.unit !== 'week'))
    return undefined;
  if (weekdays === undefined && !when.times) return undefined;
  if (every.count * seconds[every.unit] > 31_536_000) return undefined;
  const days = every.count * (every.unit === 'week' ? 7 : 1);
  const plain =
    weekdays !== undefined
      ? on({ weekdays })
      : every.unit === 'day'
        ? on({ every: { count: 1, unit: 'day' } })
        : undefined;
  const kind = every.count === 2 ? `Every-other-${every.unit}` : `Every-${every.count}-${every.unit}s`;
  const alternatives: [string, When][] = plain
    ? [[`${plain.recurrence.weekdays === undefined ? 'every day' : weekdaysText(weekdays!)}${timesText(when)}`, plain]]
    : [];
  const zone = effectiveZone(resolver);
  const time = when.times?.length === 1 && !when.times[0]!.ambiguous ? when.times[0]! : undefined;
  if (zone !== undefined && time && (weekdays === undefined || /^\d$/.test(weekdays))) {
    const anchor = nextInstantAt(
      zone,
      time,
      resolver.context.now,
      weekdays === undefined ? undefined : Number(weekdays),
    );
    alternatives.push([
      `every ${days} days from ${momentText(zone, anchor)} (fixed interval; local time moves with DST)`,
      {
        ...emptyWhen(),
        fixed: { scheduleType: 'interval', schedule: { everySeconds: days * seconds.day, anchorAt: rfc3339(anchor) } },
      },
    ]);
  } else alternatives.push([`every ${days} days`, on({ every: { count: days * seconds.day, unit: 'second' } })]);
  return ask(`${kind} schedules are not expressible in cron.`, ...alternatives);
}

/** The next instant at a time of day, on the given weekday if there is one. */
function nextInstantAt(zone: string, time: ClockTime, now: number, weekday?: number): number {
  for (let date = dayIn(zone, now); ; date += day) {
    if (weekday !== undefined && new Date(date).getUTCDay() !== weekday) continue;
    const found = instantsOf(zone, wallTime(date, time)).find((instant) => instant > now);
    if (found !== undefined) return found;
  }
}
