import { readCadence } from '../../cadence/cadence-json.js';
import { jobBounds } from '../../cadence/interval-bounds.js';
import type { IntentContext } from '../intent-types.js';
import type { ParsedRequest, Question } from '../parsed-request-types.js';
import type { ClockTime } from '../time/clock-time-phrases.js';
import { normalizeCron } from '../time/cron-expressions.js';
import { emptyWhen, type FixedSchedule, hasSchedule, type When } from '../time/time-expression.js';
import { resolveRecurrence } from './resolve-recurring-schedule.js';
import { resolveDate, resolveDelay, resolveTimeOfDay } from './resolve-single-run.js';
import { type ResolvedSchedule, readAnswer, ScheduleResolver } from './schedule-questions.js';

/** Builds the schedule, or the first question that has to be asked. A schedule that a job would reject is never returned. */
export function resolveSchedule(
  when: When,
  context: IntentContext,
  rebuild: (when: When) => ParsedRequest,
  defaultZone = context.timezone,
): ResolvedSchedule {
  const resolver = new ScheduleResolver(when, context, defaultZone, rebuild, (other, then) =>
    resolveSchedule(other, context, then, defaultZone),
  );
  const resolved = resolveWhen(when, resolver);
  return 'question' in resolved ? resolved : checkCadence(resolved, resolver);
}

function resolveWhen(when: When, resolver: ScheduleResolver): ResolvedSchedule {
  if (when.unclear !== undefined) return askUnclear(when, when.unclear, resolver);
  const extra = askExtra(when, resolver);
  if (extra) return extra;
  if (when.fixed) return when.fixed;
  if (when.other) return askWhichSchedule(when, when.other, resolver);
  if (when.cron !== undefined) return resolveCron(when.cron, resolver);
  if (when.delay !== undefined) return resolveDelay(when.delay, resolver);
  if (Object.keys(when.recurrence).length > 0) return resolveRecurrence(when, resolver);
  const { date, times } = when;
  if (!date && !times && (when.start?.date || when.start?.times)) return askHowOften(when, when.start, resolver);
  if (date) return resolveDate(when, date, resolver);
  if (times && when.anyDay) return askWhichDay(when, times, resolver);
  if (times) return resolveTimeOfDay(when, resolver);
  return askWhen(resolver);
}

/** Parts that each kind of schedule uses, apart from zone and part of the day; a recurrence is checked where it is resolved. */
const uses: [keyof When, string, (keyof When)[]][] = [
  ['fixed', 'A fixed schedule', []],
  ['cron', 'A cron expression', []],
  ['delay', 'A single run', []],
  ['recurrence', 'A schedule', ['times', 'start', 'end', 'other']],
  ['date', 'A single run', ['times', 'other']],
  ['times', 'A single run', ['other']],
  ['start', 'A single run', []],
];
const partNames: Partial<Record<keyof When, string>> = {
  recurrence: 'a recurrence',
  date: 'another date',
  times: 'another time of day',
  delay: 'a delay',
  start: 'a start of its own',
  end: 'an end of its own',
  other: 'a second schedule',
};

/** Question about a part that this kind of schedule cannot have: "tomorrow at 9am until Friday". */
function askExtra(when: When, resolver: ScheduleResolver): ResolvedSchedule | undefined {
  const has = (key: keyof When) =>
    key === 'recurrence' ? Object.keys(when.recurrence).length > 0 : when[key] !== undefined;
  const kind = uses.find(([key]) => has(key));
  const used = new Set<keyof When>([...(kind ? [kind[0], ...kind[2]] : []), 'zone', 'part', 'recurrence', 'anyDay']);
  if (kind && has('recurrence') && kind[0] !== 'recurrence') used.delete('recurrence');
  // "starting today" changes nothing.
  const idle = when.start && !when.start.date && !when.start.times ? 'start' : undefined;
  const extra = (Object.keys(when) as (keyof When)[]).find((key) => has(key) && !used.has(key) && key !== idle);
  if (!kind || extra === undefined) return undefined;
  const { [extra]: _, ...without } = { ...when };
  const one: When = { recurrence: {}, ...without };
  const label = resolver.scheduleText(one).label ?? `without ${partNames[extra] ?? 'that'}`;
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `${kind[1]} cannot have ${partNames[extra] ?? 'that'}. Which of these?`,
    choices: [resolver.choice(label, one, label, true)],
    ...resolver.replacing(extra),
  });
}

/** Question about a start without a recurrence: "from Monday at 9am". */
function askHowOften({ start: _, ...when }: When, start: When, resolver: ScheduleResolver): ResolvedSchedule {
  const { date: __, ...undated } = start;
  const once: When = { ...when, ...start };
  const daily: When = { ...when, ...undated, recurrence: { every: { count: 1, unit: 'day' } }, start };
  const label = resolver.scheduleText(once).label ?? 'only once';
  return resolver.ask({
    code: 'MISSING_TIME',
    field: 'schedule.time',
    question: 'How often should it run?',
    choices: [resolver.choice(label, once, 'once', true), resolver.choice('every day', daily, 'every day', true)],
    ...resolver.replacing('unclear'),
  });
}

/** Question about the day of a time that was given alone. */
function askWhichDay({ anyDay: _, ...when }: When, times: ClockTime[], resolver: ScheduleResolver): ResolvedSchedule {
  const clock = resolver.resolveTimes(resolver.when, times);
  if ('question' in clock) return clock;
  const daily: When = { ...when, times: clock.times, recurrence: { every: { count: 1, unit: 'day' } } };
  const choices = [{ ...when, times: clock.times }, daily].flatMap((it) => {
    const { label } = resolver.scheduleText(it);
    return label === undefined ? [] : [resolver.choice(label, it, label, true)];
  });
  return resolver.ask({
    code: 'MISSING_TIME',
    field: 'schedule.day',
    question: 'On which day should it run, or how often?',
    ...(choices.length > 0 && { choices }),
    ...resolver.replacing('anyDay'),
  });
}

const excludes = /\b(?:except|excepting|excluding|but|not|outside(?: of)?|other than|apart from|unless|without)$/i;

/** Question that names the words that were not understood, and offers the schedule without them. */
function askUnclear({ unclear: _, ...when }: When, words: string, resolver: ScheduleResolver): ResolvedSchedule {
  // Without "except", a schedule would mean the opposite.
  const { label } = hasSchedule(when) && !excludes.test(words) ? resolver.scheduleText(when) : {};
  const without = label === undefined ? undefined : `${label}, without that`;
  return resolver.ask({
    code: 'MISSING_TIME',
    field: 'schedule.time',
    question: `${notUnderstood(words)}${without === undefined ? 'When should it run?' : 'Which of these?'}`,
    ...(without !== undefined && { choices: [resolver.choice(without, when, without, true)] }),
    ...resolver.replacing('unclear'),
  });
}

/** Sentence that repeats words; nothing that looks like a path or markup is repeated. */
function notUnderstood(words: string): string {
  return /^[\p{L}\p{N} ,.:;'’&%+=@#-]{1,120}$/u.test(words) && !words.includes('..') && words.trim() !== ''
    ? `I don't understand "${words.trim()}". `
    : '';
}

function askWhen(resolver: ScheduleResolver): ResolvedSchedule {
  const { parseAnswer } = resolver.replacing('unclear');
  // "When should it run?" "At 14:00." The day is asked for next.
  const anew: Pick<Question, 'parseAnswer'> = {
    parseAnswer: (answer) => {
      const when = readAnswer(answer, emptyWhen());
      const timeOnly = when?.times && !when.date && Object.keys(when.recurrence).length === 0 && !when.start;
      const { when: before } = resolver;
      return timeOnly && !before.date && Object.keys(before.recurrence).length === 0
        ? resolver.rebuild({ ...before, ...when, anyDay: true })
        : parseAnswer!(answer);
    },
  };
  return resolver.ask({ code: 'MISSING_TIME', field: 'schedule.time', question: 'When should it run?', ...anew });
}

/** "every Monday at 9am and every Friday at 5pm": two schedules need two jobs. */
function askWhichSchedule({ other: _, ...when }: When, other: When, resolver: ScheduleResolver): ResolvedSchedule {
  const zone = when.zone ?? other.zone;
  const choices = [other, when].map((it, i) => {
    const one: When = { ...it, ...(zone && { zone }) };
    const { label = i === 0 ? 'the first' : 'the second' } = resolver.scheduleText(one);
    return resolver.choice(label, one, label, true);
  });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'A job has one schedule. Which of these?',
    choices,
    ...resolver.replacing('other', 'recurrence', 'date', 'times', 'part'),
  });
}

function resolveCron(expression: string, resolver: ScheduleResolver): ResolvedSchedule {
  const normal = normalizeCron(expression);
  if (normal !== undefined)
    return resolver.withZone(
      undefined,
      (timezone): ResolvedSchedule => ({ scheduleType: 'cron', schedule: { expression: normal, timezone } }),
    );
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question:
      'That is not a 5-field cron expression that can run (minute hour day_of_month month day_of_week). Which schedule should I use?',
    parseAnswer: (answer) => {
      const fields = normalizeCron(answer);
      if (fields !== undefined) return resolver.rebuild({ ...resolver.when, cron: fields });
      return resolver.replacing('cron').parseAnswer!(answer);
    },
  });
}

/** Validates the schedule with the same reader that a job uses. */
function checkCadence(resolved: FixedSchedule, resolver: ScheduleResolver): ResolvedSchedule {
  const { findings } = readCadence(
    { type: resolved.scheduleType, ...resolved.schedule },
    { now: resolver.context.now, bounds: jobBounds },
  );
  const [first] = findings;
  if (!first) return resolved;
  if (first.code === 'CADENCE_IN_THE_PAST' || first.code === 'CADENCE_YEAR_OUT_OF_RANGE')
    return resolver.ask({
      code: first.code === 'CADENCE_IN_THE_PAST' ? 'PAST_INSTANT' : 'AMBIGUOUS_DATE',
      field: 'schedule.runAt',
      question:
        first.code === 'CADENCE_IN_THE_PAST'
          ? 'That time has already passed. When should it run instead?'
          : 'Which day?',
      ...resolver.replacing('fixed', 'date', 'times', 'delay'),
    });
  if (resolved.scheduleType === 'interval')
    return resolver.ask({
      code: 'INTERVAL_OUT_OF_BOUNDS',
      field: 'schedule.everySeconds',
      question: 'Intervals must be between 10 seconds and 365 days. Which interval should I use?',
      ...resolver.replacing('recurrence', 'fixed'),
    });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'No schedule can run like that. Which schedule should I use?',
    ...resolver.replacing('recurrence', 'fixed', 'cron', 'times'),
  });
}
