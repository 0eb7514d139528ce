import type { JsonObject } from '../../../base/json/value.js';
import { zoneFault } from '../../../base/time/zones.js';
import { minute } from '../../cadence/cadence.js';
import { readCadence } from '../../cadence/cadence-json.js';
import { describeCadence } from '../../cadence/describe-cadence.js';
import { localTime } from '../../cadence/zone-transitions.js';
import { cadenceName } from '../derive-job-names.js';
import type { IntentContext, Invocation, KnownJob } from '../intent-types.js';
import { strayWords } from '../parse/find-by-name.js';
import { hasChange, readJobChange } from '../parse/job-change-phrases.js';
import type { ParsedRequest, Question, RequestedChange } from '../parsed-request-types.js';
import { splitWords } from '../split-words.js';
import { type ClockTime, timeOfDayText } from '../time/clock-time-phrases.js';
import { changeDays, type FixedTimes, fixedTimes, shifted } from '../time/cron-expressions.js';
import { dayIn } from '../time/date-phrases.js';
import { emptyWhen, type FixedSchedule, hasSchedule, isWithinDay, type When } from '../time/time-expression.js';
import { momentText, rfc3339 } from './local-time.js';
import { resolveSchedule } from './resolve-schedule.js';
import { resolveAction, resolveChannel, resolveJob } from './resolve-targets.js';
import { type ResolvedSchedule, ScheduleResolver } from './schedule-questions.js';

type UpdateRequest = Extract<ParsedRequest, { intent: 'update' }>;

/** Builds the call of `schedule.update`, or the first question that has to be asked. */
export function resolveUpdate(request: UpdateRequest, context: IntentContext): Invocation | { question: Question } {
  const found = resolveJob(request, context, false, (jobId) => ({ ...request, jobId }));
  if ('question' in found) return found;
  const { job } = found;
  const changed = (patch: Partial<RequestedChange>): ParsedRequest => ({
    ...request,
    jobId: job.jobId,
    patch: { ...request.patch, ...patch },
  });
  // "move job-5 before 6pm"
  const stray = request.jobId === undefined && strayWords(request.job, job, context).length > 0;
  if (stray || !hasChange(request.patch)) return { question: missingPatch(request, job, context) };
  const { action, where, when, misfirePolicy, allowOverlap, name } = request.patch;
  const patch: JsonObject = {};
  const rebuild = {
    action: (it: NonNullable<RequestedChange['action']>) => changed({ action: it }),
    where: (it: RequestedChange['where']) => changed({ where: it }),
  };
  const target = action && resolveAction(action, context, rebuild, '');
  if (target && 'question' in target) return target;
  const place = Object.keys(where).length > 0 ? resolveChannel(where, true, context, rebuild) : undefined;
  if (place && 'question' in place) return place;
  if (name !== undefined) patch.name = name;
  if (hasSchedule(when) || when.zone || request.patch.shift !== undefined || request.patch.days) {
    const resolved = newSchedule(request, job, context, (it) =>
      changed({ when: it, from: undefined, shift: undefined, days: undefined }),
    );
    if ('question' in resolved) return resolved;
    patch.schedule = { type: resolved.scheduleType, ...resolved.schedule };
    if (request.patch.single && job.schedule.type !== 'once')
      return { question: askAllRuns(resolved, context, changed) };
    const finished = job.state !== 'paused' && hasFinished(job, context);
    if (job.state === 'disabled' && !finished && !request.patch.state) return { question: askState(changed) };
    if (finished) patch.state = 'enabled';
    else if (request.patch.state === 'enabled') patch.state = 'enabled';
  }
  if (request.patch.single && job.schedule.type !== 'once')
    return { question: askAllRuns(undefined, context, changed) };
  if (target?.value) patch.targetAction = target.value;
  if (place?.value) patch.targetRef = place.value;
  if (misfirePolicy) patch.misfirePolicy = misfirePolicy;
  if (allowOverlap !== undefined) patch.allowOverlap = allowOverlap;
  return { functionId: 'schedule.update', functionArgs: { jobId: job.jobId, patch } };
}

/** Question about "move tomorrow's report to 10am": a change applies to all runs. */
function askAllRuns(
  resolved: FixedSchedule | undefined,
  context: IntentContext,
  changed: (patch: Partial<RequestedChange>) => ParsedRequest,
): Question {
  const cadence = resolved && cadenceName({ type: resolved.scheduleType, ...resolved.schedule }, context.timezone);
  const label = cadence === undefined ? 'all runs' : `all runs: ${cadence}`;
  return {
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `A single run of a repeating job cannot be ${resolved ? 'moved' : 'changed'}. Which of these?`,
    choices: [{ label, value: 'all', next: changed({ single: undefined }) }],
  };
}

/** Whether the only time of a job has passed; with a new schedule it is enabled again. */
function hasFinished({ schedule }: KnownJob, { now }: IntentContext): boolean {
  return schedule.type === 'once' && Date.parse(String(schedule.runAt)) <= now;
}

/** Question about a job that was disabled on purpose: a new schedule alone would never run. */
function askState(changed: (patch: Partial<RequestedChange>) => ParsedRequest): Question {
  return {
    code: 'MISSING_PATCH',
    field: 'patch.state',
    question: 'The job is disabled and would not run. Which of these?',
    choices: [
      { label: 'enable it', value: 'enabled', next: changed({ state: 'enabled' }) },
      { label: 'leave it disabled', value: 'disabled', next: changed({ state: 'disabled' }) },
    ],
    parseAnswer: (answer) =>
      /^(?:yes|enable|enable (?:it|the job)|turn it on)[.!]*$/i.test(answer.trim())
        ? changed({ state: 'enabled' })
        : undefined,
  };
}

const question = 'What should change: the time, the time zone, what it runs, or where it posts?';

function missingPatch(request: UpdateRequest, { jobId }: KnownJob, context: IntentContext): Question {
  const parseAnswer = (answer: string): ParsedRequest | undefined => {
    const spoken = splitWords(answer);
    if (!spoken) return undefined;
    for (const lead of [
      ['change', jobId, 'to'],
      ['make', jobId],
    ]) {
      const read = readJobChange([...lead, ...spoken.words], spoken.quotes, context);
      // "before 6pm": a word that is not understood must not become part of the name.
      if (read?.intent === 'update' && read.job === jobId && hasChange(read.patch))
        return { ...request, jobId, patch: { ...request.patch, ...read.patch } };
    }
    const named = namedAttribute(answer);
    return named && { ...request, jobId, patch: { ...request.patch, ...named } };
  };
  return { code: 'MISSING_PATCH', field: 'patch', question, parseAnswer };
}

/** An answer that only names what should change; its new value is asked for next. */
function namedAttribute(answer: string): Partial<RequestedChange> | undefined {
  const name = answer
    .trim()
    .toLowerCase()
    .replace(/^(?:the|its) |[.!]$/g, '');
  if (/^time ?zone$/.test(name)) return { when: { ...emptyWhen(), zone: { unknown: true } } };
  if (/^(?:time|times|schedule|day|days|when it runs)$/.test(name)) return { when: { ...emptyWhen(), unclear: '' } };
  if (/^(?:text|message|what it (?:runs|posts|says|does)|workflow|action)$/.test(name))
    return { action: { kind: 'open', post: /text|message|posts|says/.test(name) } };
  return undefined;
}

/** Applies the requested change to the job's schedule and keeps the rest. */
function newSchedule(
  request: UpdateRequest,
  job: KnownJob,
  context: IntentContext,
  rebuild: (when: When) => ParsedRequest,
): ResolvedSchedule {
  const { when, shift, days, from } = request.patch;
  const { type, expression, timezone } = job.schedule;
  const zone = typeof timezone === 'string' && zoneFault(timezone) === undefined ? timezone : undefined;
  const cron = type === 'cron' && typeof expression === 'string' ? expression : undefined;
  const fixed = cron === undefined ? undefined : fixedTimes(cron);
  const usual = zone ?? context.timezone;
  const put = (it: When) => resolveSchedule(it, context, rebuild, usual);
  const asMuch: Question = {
    code: 'MISSING_PATCH',
    field: 'patch',
    question,
    parseAnswer: missingPatch(request, job, context).parseAnswer!,
  };
  if (shift !== undefined) {
    if (type === 'once') {
      const runAt = rfc3339(Date.parse(String(job.schedule.runAt)) + shift);
      return put({ ...emptyWhen(), fixed: { scheduleType: 'once', schedule: { runAt } } });
    }
    const times = fixed?.times.map((time) => shifted(time, shift));
    if (!fixed || times?.some((it) => it === undefined)) return { question: asMuch };
    return put({ ...emptyWhen(), recurrence: { days: fixed.days }, times: times as ClockTime[] });
  }
  if (from) {
    const kept = fixed && replacedTimes(fixed.times, from, when, zone);
    if (!kept) {
      const at = from.times ? ` at ${from.times.map(timeOfDayText).join(' and ')}` : ' in that time zone';
      return { question: { ...asMuch, question: `The job does not run${at}. ${question}` } };
    }
    // One of several times on one of several days cannot be moved alone.
    if (days && from.times && from.times.length < fixed!.times.length) return { question: asMuch };
    return newSchedule(replacedRequest(request, kept), job, context, rebuild);
  }
  if (days) {
    const changed = fixed && changeDays(fixed.days, days);
    if (!fixed || changed === undefined) {
      const asked = days.add !== undefined && days.remove !== undefined ? 'The job does not run on those days. ' : '';
      return { question: { ...asMuch, question: `${asked}${question}` } };
    }
    return put({ ...when, recurrence: { days: changed }, times: when.times ?? fixed.times });
  }
  const repeats = Object.keys(when.recurrence).length > 0;
  // Limits alone, like "except on holidays", are no schedule.
  if (repeats && Object.keys(when.recurrence).every((key) => /^(?:beyond|except|months)$/.test(key)))
    return { question: asMuch };
  if (when.fixed || when.cron !== undefined || when.delay !== undefined) return put(when);
  if (!hasSchedule(when)) {
    if (cron === undefined) return { question: asMuch };
    return put({ ...when, cron });
  }
  if (!repeats && !when.date && when.times) return changeTime(when, job, fixed, usual, context, rebuild, put);
  // "to Thursday" moves a weekly job to that day of every week; "to 10am on Friday" may be about one of several days.
  const severalDays = when.times !== undefined && fixed !== undefined && !/^\* \* \d$/.test(fixed.days);
  if (when.date?.kind === 'weekday' && severalDays && !when.date.weeks && !when.date.single)
    return askOneDay(when, when.date.weekday, fixed, context, usual, rebuild);
  if (when.date?.kind === 'weekday' && when.date.weeks === 0 && !when.date.single && cron !== undefined) {
    const { date, ...rest } = when;
    return put({
      ...rest,
      recurrence: { weekdays: String(date.weekday) },
      ...(!when.times && fixed && { times: fixed.times }),
    });
  }
  if (when.date && type !== 'once') return askOnceOrKeep(when, fixed, usual, context, rebuild);
  if (when.date && !repeats && !when.times && when.part === undefined && when.date.part === undefined)
    return put({ ...when, ...timeOfRun(job, usual) });
  if (repeats && !when.times && fixed && !when.recurrence.window && isDaily(when))
    return put({ ...when, times: fixed.times });
  // "make it hourly" keeps "on weekdays"; the single day of a weekly job is replaced.
  const weekdays = fixed && /^\* \* (?=.*[-,])(?!.*\b[0-6]-7\b)(.+)$/.exec(fixed.days)?.[1];
  const { every, minuteOf } = when.recurrence;
  const within = every ? isWithinDay(every.unit) : minuteOf !== undefined;
  if (weekdays !== undefined && within && /^(?:every|window|minuteOf)*$/.test(Object.keys(when.recurrence).join('')))
    return put({ ...when, recurrence: { ...when.recurrence, days: fixed!.days } });
  return put(when);
}

/** The time of day of a job with a single run: "move the announcement to December 8" keeps it. */
function timeOfRun({ schedule }: KnownJob, zone: string | undefined): Pick<When, 'times'> {
  const at = Date.parse(String(schedule.runAt));
  if (zone === undefined || Number.isNaN(at) || at % minute !== 0) return {};
  const local = localTime(zone, at);
  return { times: [{ hour: local.hour, minute: local.minute }] };
}

/** Question about "move the standup to 10am on Friday" of a job that runs on several days. */
function askOneDay(
  when: When,
  weekday: number,
  fixed: FixedTimes,
  context: IntentContext,
  usual: string | undefined,
  rebuild: (when: When) => ParsedRequest,
): ResolvedSchedule {
  const resolver = new ScheduleResolver(when, context, usual, rebuild, (it, then) =>
    resolveSchedule(it, context, then, usual),
  );
  const { date: _, ...undated } = when;
  const readings: When[] = [
    { ...undated, recurrence: { days: fixed.days } },
    { ...undated, recurrence: { weekdays: String(weekday) } },
  ];
  const labels = ['on the days it has', 'only on that day of the week'];
  const choices = readings.map((it, i) => {
    const label = resolver.scheduleText(it).label ?? labels[i]!;
    return resolver.choice(label, it, label, true);
  });
  return resolver.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'The job has one time on all of its days. Which of these?',
    choices,
    ...resolver.replacing('date', 'times'),
  });
}

/** The request without the old value, which has been checked and applied. */
function replacedRequest(request: UpdateRequest, when: When): UpdateRequest {
  const { from: _, ...patch } = request.patch;
  return { ...request, patch: { ...patch, when } };
}

/** The new time expression if the job has the old value: other times of day stay. Undefined if it has not. */
function replacedTimes(
  times: readonly ClockTime[],
  from: When,
  when: When,
  zone: string | undefined,
): When | undefined {
  if (from.zone && (!('zone' in from.zone) || from.zone.zone !== zone)) return undefined;
  if (!from.times) return when;
  const same = (a: ClockTime, b: ClockTime) =>
    timeOfDayText(a) === timeOfDayText(b) ||
    (b.ambiguous === true && a.hour % 12 === b.hour % 12 && a.minute === b.minute);
  if (!from.times.every((old) => times.some((time) => same(time, old)))) return undefined;
  const others = times.filter((time) => !from.times!.some((old) => same(time, old)));
  return { ...when, ...(when.times && { times: [...others, ...when.times] }) };
}

/** Whether the recurrence happens at times of day. */
function isDaily({ recurrence: { every, minuteOf } }: When): boolean {
  return minuteOf === undefined && (!every || /^(?:day|week|month|quarter|year)$/.test(every.unit));
}

/** Changes the time of day and keeps the days. */
function changeTime(
  when: When,
  job: KnownJob,
  fixed: FixedTimes | undefined,
  usual: string | undefined,
  context: IntentContext,
  rebuild: (when: When) => ParsedRequest,
  put: (when: When) => ResolvedSchedule,
): ResolvedSchedule {
  if (fixed) return put({ ...when, recurrence: { days: fixed.days } });
  const { cadence } = readCadence(job.schedule, { now: context.now, allowPast: true });
  if (cadence?.kind === 'once' && usual !== undefined) {
    const on = new Date(dayIn(usual, cadence.at));
    return put({
      ...when,
      date: { kind: 'civil', year: on.getUTCFullYear(), month: on.getUTCMonth() + 1, day: on.getUTCDate() },
    });
  }
  const resolver = new ScheduleResolver(when, context, usual, rebuild, (it, then) =>
    resolveSchedule(it, context, then, usual),
  );
  const clock = resolver.resolveTimes(when);
  if ('question' in clock) return clock;
  const daily: When = { ...when, recurrence: { every: { count: 1, unit: 'day' } } };
  const choices = [
    resolver.choice(`every day at ${clock.times.map(timeOfDayText).join(' and ')}`, daily, 'every day', true),
  ];
  if (cadence?.kind === 'every' && clock.times.length === 1) {
    const anchored: When = { ...when, recurrence: { every: { count: cadence.millis / 1000, unit: 'second' } } };
    choices.push(
      resolver.choice(
        `${describeCadence(cadence).replace(/ from .*/, '')} from ${timeOfDayText(clock.times[0]!)}`,
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
      ...resolver.replacing('times'),
    },
  };
}

/** Question about a date for a recurring job: a single occurrence cannot be moved. */
function askOnceOrKeep(
  when: When,
  fixed: FixedTimes | undefined,
  usual: string | undefined,
  context: IntentContext,
  rebuild: (when: When) => ParsedRequest,
): ResolvedSchedule {
  const dated: When = when.times || !fixed ? when : { ...when, times: fixed.times.slice(0, 1) };
  const resolved = resolveSchedule(dated, context, rebuild, usual);
  if ('question' in resolved || when.fixed) return resolved;
  const resolver = new ScheduleResolver(when, context, usual, rebuild, (it, then) =>
    resolveSchedule(it, context, then, usual),
  );
  const choices = [
    resolver.choice(
      `only once, at ${momentText(usual ?? 'UTC', Date.parse(resolved.schedule.runAt as string))}`,
      { ...emptyWhen(), fixed: resolved },
      'once',
      true,
    ),
  ];
  const { date, ...undated } = when;
  // "move the invoices to the 5th", of a monthly job.
  const months = fixed && /^\d[\d,-]* (\S+) \*$/.exec(fixed.days)?.[1];
  if (months !== undefined && date?.kind === 'dayOfMonth' && !date.next) {
    const monthly: When = {
      ...undated,
      times: when.times ?? fixed!.times,
      recurrence: { days: `${date.day} ${months} *` },
    };
    choices.unshift(resolver.choice(resolver.scheduleText(monthly).label ?? 'monthly', monthly, 'monthly', true));
  } else if (fixed && when.times) {
    const kept: When = { ...undated, recurrence: { days: fixed.days } };
    choices.unshift(resolver.choice(resolver.scheduleText(kept).label ?? 'on the days it has', kept, 'keep', true));
  }
  return {
    question: {
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run of a repeating job cannot be moved. Which of these?',
      choices,
      ...resolver.replacing('date', 'times'),
    },
  };
}
