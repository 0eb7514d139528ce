import { jobBounds } from '../scheduling/cadence/bounds.js';
import { readCadence } from '../scheduling/cadence/wire.js';
import { normalCron } from './cron-text.js';
import type { Frame } from './frame.js';
import { settleDate, settleDelay, settleTime } from './once.js';
import { settleRecurrence } from './recurring.js';
import { type Settled, Settling } from './settling.js';
import type { IntentContext } from './types.js';
import type { FixedSchedule, When } from './when.js';

/** Makes a schedule of what was said, or the one question that comes first. Nothing leaves here that a job would refuse. */
export function settle(
  when: When,
  context: IntentContext,
  rebuild: (when: When) => Frame,
  usualZone = context.timezone,
): Settled {
  const at = new Settling(when, context, usualZone, rebuild, (other, then) => settle(other, context, then, usualZone));
  const settled = settleWhen(when, at);
  return 'question' in settled ? settled : checked(settled, at);
}

function settleWhen(when: When, at: Settling): Settled {
  if (when.fixed) return when.fixed;
  if (when.unclear) return notUnderstood(at);
  if (when.other) return oneOf(when, when.other, at);
  if (when.cron !== undefined) return settleCron(when.cron, at);
  if (when.delay !== undefined) return settleDelay(when.delay, at);
  if (Object.keys(when.recurrence).length > 0) return settleRecurrence(when, at);
  const date = when.date ?? (when.start && !when.start.delay ? when.start.date : undefined);
  const times = when.times ?? when.start?.times;
  if (date) return settleDate({ ...when, date, ...(times && { times }) }, date, at);
  if (times) return settleTime({ ...when, times }, at);
  return notUnderstood(at);
}

function notUnderstood(at: Settling): Settled {
  const anew = at.anew('unclear', 'recurrence', 'date', 'times', 'part', 'delay', 'start', 'end');
  return at.ask({ code: 'MISSING_TIME', field: 'schedule.time', question: 'When should it run?', ...anew });
}

/** "every Monday at 9am and every Friday at 5pm": two schedules are two jobs. */
function oneOf({ other: _, ...when }: When, other: When, at: Settling): Settled {
  const zone = when.zone ?? other.zone;
  const choices = [other, when].map((it, i) => {
    const one: When = { ...it, ...(zone && { zone }) };
    const { label = i === 0 ? 'the first' : 'the second' } = at.described(one);
    return at.choice(label, one, label, true);
  });
  return at.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'A job has one schedule. Which of these?',
    choices,
    ...at.anew('other', 'recurrence', 'date', 'times', 'part'),
  });
}

function settleCron(expression: string, at: Settling): Settled {
  const normal = normalCron(expression);
  if (normal !== undefined)
    return at.zoned(
      undefined,
      (timezone): Settled => ({ scheduleType: 'cron', schedule: { expression: normal, timezone } }),
    );
  return at.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question:
      'That is not a 5-field cron expression that can run (minute hour day_of_month month day_of_week). Which schedule should I use?',
    free: (answer) => {
      const fields = normalCron(answer);
      if (fields !== undefined) return at.rebuild({ ...at.when, cron: fields });
      return at.anew('cron').free!(answer);
    },
  });
}

/** Everything is read once more as a job would read it. */
function checked(settled: FixedSchedule, at: Settling): Settled {
  const { findings } = readCadence(
    { type: settled.scheduleType, ...settled.schedule },
    { now: at.context.now, bounds: jobBounds },
  );
  const [first] = findings;
  if (!first) return settled;
  if (first.code === 'CADENCE_IN_THE_PAST' || first.code === 'CADENCE_YEAR_OUT_OF_RANGE')
    return at.ask({
      code: first.code === 'CADENCE_IN_THE_PAST' ? 'PAST_INSTANT' : 'AMBIGUOUS_DATE',
      field: 'schedule.runAt',
      question:
        first.code === 'CADENCE_IN_THE_PAST'
          ? 'That time has already passed. When should it run instead?'
          : 'Which day?',
      ...at.anew('fixed', 'date', 'times', 'delay'),
    });
  if (settled.scheduleType === 'interval')
    return at.ask({
      code: 'INTERVAL_OUT_OF_BOUNDS',
      field: 'schedule.everySeconds',
      question: 'Intervals must be between 10 seconds and 365 days. Which interval should I use?',
      ...at.anew('recurrence', 'fixed'),
    });
  return at.ask({
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: 'No schedule can run like that. Which schedule should I use?',
    ...at.anew('recurrence', 'fixed', 'cron', 'times'),
  });
}
