import { describeCron } from '../scheduling/cadence/describe-cron.js';
import { readCron } from '../scheduling/cadence/read.js';
import { list } from '../scheduling/cadence/wording.js';
import { clockOf } from './clock.js';
import type { Settling } from './settling.js';
import type { When } from './when.js';
import { ordinal } from './words.js';

/** ` at 09:00`, as far as it is clear. */
export function timesText({ times }: When): string {
  return times?.every(({ bare }) => !bare) ? ` at ${list(times.map(clockOf))}` : '';
}

/** `the 1st and 15th`. */
export function datesText(days: readonly number[]): string {
  return `the ${list(days.map(ordinal))}`;
}

/** `every Monday and Thursday`. */
export function daysText(weekdays: string): string {
  const read = readCron(`0 0 * * ${weekdays}`, 'UTC');
  return read.cadence?.kind === 'cron' ? describeCron(read.cadence).replace(/ at 00:00 UTC$/, '') : 'every day';
}

/** What repeats, in a few words. */
export function summary(when: When, at: Settling): string {
  const { recurrence } = when;
  if (recurrence.monthDays) return `${datesText(recurrence.monthDays)}${timesText(when)}`;
  if (recurrence.weekdays !== undefined && !recurrence.every)
    return `${daysText(recurrence.weekdays)}${timesText(when)}`;
  const { label } = at.described(when);
  return label ?? `every day${timesText(when)}`;
}
