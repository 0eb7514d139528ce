import { describeCron } from '../../cadence/describe-cadence.js';
import { listInWords } from '../../cadence/duration-wording.js';
import { readCron } from '../../cadence/read-cadence-fields.js';
import { ordinal } from '../number-words.js';
import { timeOfDayText } from '../time/clock-time-phrases.js';
import type { When } from '../time/time-expression.js';
import type { ScheduleResolver } from './schedule-questions.js';

/** Times in words: ` at 09:00`; empty while one is ambiguous. */
export function timesText({ times }: When): string {
  return times?.every(({ ambiguous }) => !ambiguous) ? ` at ${listInWords(times.map(timeOfDayText))}` : '';
}

/** Days of the month in words: `the 1st and 15th`. */
export function datesText(days: readonly number[]): string {
  return `the ${listInWords(days.map(ordinal))}`;
}

/** Weekdays in words: `every Monday and Thursday`. */
export function weekdaysText(weekdays: string): string {
  const read = readCron(`0 0 * * ${weekdays}`, 'UTC');
  return read.cadence?.kind === 'cron' ? describeCron(read.cadence).replace(/ at 00:00 UTC$/, '') : 'every day';
}

/** Short description of a recurrence. */
export function recurrenceText(when: When, resolver: ScheduleResolver): string {
  const { recurrence } = when;
  if (recurrence.monthDays) return `${datesText(recurrence.monthDays)}${timesText(when)}`;
  if (recurrence.weekdays !== undefined && !recurrence.every)
    return `${weekdaysText(recurrence.weekdays)}${timesText(when)}`;
  const { label } = resolver.scheduleText(when);
  return label ?? `every day${timesText(when)}`;
}
