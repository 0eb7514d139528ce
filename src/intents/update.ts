import type { JsonObject } from '../json/value.js';
import { describe } from '../scheduling/cadence/describe.js';
import { readCadence } from '../scheduling/cadence/wire.js';
import { zoneFault } from '../time/zone-names.js';
import { type ClockTime, clockOf } from './clock.js';
import { dayIn } from './dates.js';
import type { Frame, Question, SaidPatch } from './frame.js';
import { findJob } from './jobs.js';
import { momentText } from './local-time.js';
import { readPatch, saysSomething } from './patches.js';
import { compact, expand } from './recurrence-week.js';
import { settle } from './settle.js';
import { type Settled, Settling } from './settling.js';
import { targetAction, targetRef } from './targets.js';
import type { IntentContext, Invocation, KnownJob } from './types.js';
import { nothingSaid, saysWhen, type When } from './when.js';
import { split } from './words.js';

type UpdateFrame = Extract<Frame, { intent: 'update' }>;

/** A change of a job as a call of `schedule.update`, or the question in its way. */
export function resolveUpdate(frame: UpdateFrame, context: IntentContext): Invocation | { question: Question } {
  const found = findJob(frame, context, false, (jobId) => ({ ...frame, jobId }));
  if ('question' in found) return found;
  const { job } = found;
  const changed = (patch: Partial<SaidPatch>): Frame => ({
    ...frame,
    jobId: job.jobId,
    patch: { ...frame.patch, ...patch },
  });
  if (!saysSomething(frame.patch)) return { question: missingPatch(frame, job, context) };
  const { action, where, when, misfirePolicy, allowOverlap, name } = frame.patch;
  const patch: JsonObject = {};
  const rebuild = {
    action: (it: NonNullable<SaidPatch['action']>) => changed({ action: it }),
    where: (it: SaidPatch['where']) => changed({ where: it }),
  };
  const target = action && targetAction(action, context, rebuild, '');
  if (target && 'question' in target) return target;
  const place = Object.keys(where).length > 0 ? targetRef(where, true, context, rebuild) : undefined;
  if (place && 'question' in place) return place;
  if (name !== undefined) patch.name = name;
  if (saysWhen(when) || when.zone || frame.patch.shift !== undefined || frame.patch.days) {
    const settled = newSchedule(frame, job, context, (it) => changed({ when: it }));
    if ('question' in settled) return settled;
    patch.schedule = { type: settled.scheduleType, ...settled.schedule };
  }
  if (target?.value) patch.targetAction = target.value;
  if (place?.value) patch.targetRef = place.value;
  if (misfirePolicy) patch.misfirePolicy = misfirePolicy;
  if (allowOverlap !== undefined) patch.allowOverlap = allowOverlap;
  return { functionId: 'schedule.update', functionArgs: { jobId: job.jobId, patch } };
}

const question = 'What should change: the time, the time zone, what it runs, or where it posts?';

function missingPatch(frame: UpdateFrame, { jobId }: KnownJob, context: IntentContext): Question {
  const free = (answer: string): Frame | undefined => {
    const spoken = split(answer);
    if (!spoken) return undefined;
    for (const lead of [
      ['change', jobId, 'to'],
      ['make', jobId],
    ]) {
      const read = readPatch([...lead, ...spoken.words], spoken.quotes, context);
      if (read?.intent === 'update' && saysSomething(read.patch)) return { ...frame, jobId, patch: read.patch };
    }
    return undefined;
  };
  return { code: 'MISSING_PATCH', field: 'patch', question, free };
}

/** The times of a cron that runs at fixed times. */
interface FixedTimes {
  times: ClockTime[];
  /** Its three day fields. */
  days: string;
}

function fixedTimes(expression: string): FixedTimes | undefined {
  const [minutes, hours, ...days] = expression.trim().split(/\s+/) as [string, string, ...string[]];
  if (days.length !== 3 || !/^[\d,]+$/.test(minutes) || !/^[\d,]+$/.test(hours)) return undefined;
  const times = hours
    .split(',')
    .flatMap((hour) => minutes.split(',').map((minute) => ({ hour: Number(hour), minute: Number(minute) })));
  return { times, days: days.join(' ') };
}

/** The schedule with what was said changed, and the rest as it was. */
function newSchedule(
  frame: UpdateFrame,
  job: KnownJob,
  context: IntentContext,
  rebuild: (when: When) => Frame,
): Settled {
  const { when, shift, days } = frame.patch;
  const { type, expression, timezone } = job.schedule;
  const zone = typeof timezone === 'string' && zoneFault(timezone) === undefined ? timezone : undefined;
  const cron = type === 'cron' && typeof expression === 'string' ? expression : undefined;
  const fixed = cron === undefined ? undefined : fixedTimes(cron);
  const usual = zone ?? context.timezone;
  const put = (it: When) => settle(it, context, rebuild, usual);
  const asMuch: Question = {
    code: 'MISSING_PATCH',
    field: 'patch',
    question,
    free: missingPatch(frame, job, context).free!,
  };
  if (shift !== undefined) {
    const times = fixed?.times.map((time) => shifted(time, shift));
    if (!fixed || times?.some((it) => it === undefined)) return { question: asMuch };
    return put({ ...nothingSaid(), recurrence: { days: fixed.days }, times: times as ClockTime[] });
  }
  if (days) {
    const changed = fixed && withDays(fixed.days, days);
    if (!fixed || changed === undefined) return { question: asMuch };
    return put({ ...nothingSaid(), recurrence: { days: changed }, times: fixed.times });
  }
  const repeats = Object.keys(when.recurrence).length > 0;
  if (when.fixed || when.cron !== undefined || when.delay !== undefined) return put(when);
  if (!saysWhen(when)) {
    if (cron === undefined) return { question: asMuch };
    return put({ ...when, cron });
  }
  if (!repeats && !when.date && when.times) return newTime(when, job, fixed, usual, context, rebuild, put);
  // "to Thursday" moves a job that runs weekly to that day of every week.
  if (when.date?.kind === 'weekday' && when.date.weeks === 0 && cron !== undefined) {
    const { date, ...rest } = when;
    return put({
      ...rest,
      recurrence: { weekdays: String(date.weekday) },
      ...(!when.times && fixed && { times: fixed.times }),
    });
  }
  if (when.date && type !== 'once') return onceOnly(when, fixed, usual, context, rebuild);
  if (repeats && !when.times && fixed && !when.recurrence.window && isDaily(when))
    return put({ ...when, times: fixed.times });
  return put(when);
}

/** The day fields of a cron that runs on days of the week, with some more or fewer of them. */
function withDays(fields: string, { add, weekdays }: NonNullable<SaidPatch['days']>): string | undefined {
  const field = /^\* \* ([\d,*-]+)$/.exec(fields)?.[1];
  if (field === undefined) return undefined;
  const now = field === '*' ? [0, 1, 2, 3, 4, 5, 6] : expand(field);
  const said = expand(weekdays);
  const then = add ? [...now, ...said] : now.filter((day) => !said.includes(day));
  const left = new Set(then).size;
  return left === 0 ? undefined : `* * ${left === 7 ? '*' : compact(then)}`;
}

/** Whether what repeats does so at times of day. */
function isDaily({ recurrence: { every, minuteOf } }: When): boolean {
  return minuteOf === undefined && (!every || /^(?:day|week|month|quarter|year)$/.test(every.unit));
}

function shifted({ hour, minute }: ClockTime, shift: number): ClockTime | undefined {
  const total = hour * 60 + minute + shift / 60_000;
  return total >= 0 && total < 1440 && Number.isInteger(total)
    ? { hour: Math.floor(total / 60), minute: total % 60 }
    : undefined;
}

/** Another time on the same days. */
function newTime(
  when: When,
  job: KnownJob,
  fixed: FixedTimes | undefined,
  usual: string | undefined,
  context: IntentContext,
  rebuild: (when: When) => Frame,
  put: (when: When) => Settled,
): Settled {
  if (fixed) return put({ ...when, recurrence: { days: fixed.days } });
  const { cadence } = readCadence(job.schedule, { now: context.now, allowPast: true });
  if (cadence?.kind === 'once' && usual !== undefined) {
    const on = new Date(dayIn(usual, cadence.at));
    return put({
      ...when,
      date: { kind: 'civil', year: on.getUTCFullYear(), month: on.getUTCMonth() + 1, day: on.getUTCDate() },
    });
  }
  const at = new Settling(when, context, usual, rebuild, (it, then) => settle(it, context, then, usual));
  const clock = at.clock(when);
  if ('question' in clock) return clock;
  const daily: When = { ...when, recurrence: { every: { count: 1, unit: 'day' } } };
  const choices = [at.choice(`every day at ${clock.times.map(clockOf).join(' and ')}`, daily, 'every day', true)];
  if (cadence?.kind === 'every' && clock.times.length === 1) {
    const anchored: When = { ...when, recurrence: { every: { count: cadence.millis / 1000, unit: 'second' } } };
    choices.push(
      at.choice(
        `${describe(cadence).replace(/ from .*/, '')} from ${clockOf(clock.times[0]!)}`,
        anchored,
        'from then',
        true,
      ),
    );
  }
  return {
    question: {
      code: 'MISSING_PATCH',
      field: 'patch.schedule',
      question: 'It has no fixed time of day. Which of these?',
      choices,
      ...at.anew('times'),
    },
  };
}

/** A date for a job that repeats: nothing moves a single run of it. */
function onceOnly(
  when: When,
  fixed: FixedTimes | undefined,
  usual: string | undefined,
  context: IntentContext,
  rebuild: (when: When) => Frame,
): Settled {
  const dated: When = when.times || !fixed ? when : { ...when, times: fixed.times.slice(0, 1) };
  const settled = settle(dated, context, rebuild, usual);
  if ('question' in settled || when.fixed) return settled;
  const at = new Settling(when, context, usual, rebuild, (it, then) => settle(it, context, then, usual));
  const choices = [
    at.choice(
      `only once, at ${momentText(usual ?? 'UTC', Date.parse(settled.schedule.runAt as string))}`,
      { ...dated, fixed: settled },
      'once',
      true,
    ),
  ];
  if (fixed && when.times) {
    const { date: _, ...rest } = when;
    const kept: When = { ...rest, recurrence: { days: fixed.days } };
    choices.unshift(at.choice(at.described(kept).label ?? 'on the days it has', kept, 'keep', true));
  }
  return {
    question: {
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run of a repeating job cannot be moved. Which of these?',
      choices,
      ...at.anew('date', 'times'),
    },
  };
}
