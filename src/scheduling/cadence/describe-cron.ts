import type { Cron } from './cadence.js';
import type { CronFields } from './cron-fields.js';
import { dayNames, monthNames, ranges } from './ranges.js';
import { list, title } from './wording.js';

/** A cron in plain English. It lists what it has no better words for, so that it is never wrong. */
export function describeCron({ fields, zone }: Cron): string {
  const { text, often } = times(fields);
  const days = dates(fields);
  const plain = days === 'every day';
  if (often) return `${text}${plain ? '' : ` ${days.replace(/^every /, 'on every ')}`}, ${zone}`;
  return `${days} ${text} ${zone}`;
}

function times({ minutes, hours }: CronFields): { text: string; often: boolean } {
  const allHours = hours.length === 24;
  const beat = evenly(minutes, 60);
  if (allHours && beat === 1) return { text: 'every minute', often: true };
  if (allHours && beat !== undefined && minutes[0] === 0)
    return { text: beat === 60 ? 'every hour' : `every ${beat} minutes`, often: true };
  const past = `at ${minutes.length === 1 ? 'minute' : 'minutes'} ${spans(minutes)}`;
  if (allHours) return { text: `${past} of every hour`, often: true };
  const hourBeat = evenly(hours, 24);
  if (hourBeat !== undefined && hours.length > 1 && hours[0] === 0 && minutes.length === 1 && minutes[0] === 0)
    return { text: `every ${hourBeat} hours from 00:00`, often: true };
  const clock = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`));
  if (clock.length <= 6) return { text: `at ${list(clock)}`, often: false };
  const within = `in ${hours.length === 1 ? 'hour' : 'hours'} ${spans(hours)}`;
  if (beat === 1) return { text: `every minute ${within}`, often: true };
  if (beat !== undefined && minutes[0] === 0 && beat < 60)
    return { text: `every ${beat} minutes ${within}`, often: true };
  return { text: `${past} ${within}`, often: true };
}

function dates(fields: CronFields): string {
  const { daysOfMonth, daysOfWeek, months, eitherDay } = fields;
  const allMonths = months.length === 12;
  const inMonths = list(months.map((month) => title(monthNames[month - 1]!)));
  const anyDate = daysOfMonth.length === 31;
  const anyDay = daysOfWeek.length === 7;
  const onDates = `on ${daysOfMonth.length === 1 ? 'day' : 'days'} ${spans(daysOfMonth)} of ${allMonths ? 'every month' : inMonths}`;
  const suffix = allMonths ? '' : ` in ${inMonths}`;
  if (anyDate && anyDay && !eitherDay) return allMonths ? 'every day' : `every day in ${inMonths}`;
  if (eitherDay) return `${onDates} and ${weekdays(daysOfWeek)}${suffix}`;
  if (anyDay) return onDates;
  if (anyDate) return `${weekdays(daysOfWeek)}${suffix}`;
  return `${weekdays(daysOfWeek)} that falls ${onDates}`;
}

function weekdays(days: number[]): string {
  if (days.join() === '1,2,3,4,5') return 'every weekday';
  if (days.join() === '0,6') return 'every Saturday and Sunday';
  if (days.length === 7) return 'every day';
  return `every ${list([...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((value) => title(dayNames[value]!)))}`;
}

/** The distance at which values repeat evenly all around a field of `size`, if they do. */
function evenly(values: number[], size: number): number | undefined {
  const beat = size / values.length;
  return Number.isInteger(beat) && values.every((value, i) => value === values[0]! + i * beat) ? beat : undefined;
}

/** `1 to 5, 9 and 12`. */
function spans(values: number[]): string {
  return list(
    ranges(values).flatMap(({ start, end, step }): (string | number)[] => {
      if (step === 1 && end - start > 1) return [`${start} to ${end}`];
      return values.filter((value) => value >= start && value <= end && (value - start) % step === 0);
    }),
  );
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
