import { formatInstant } from '../../base/time/instant.js';
import { type Cadence, type Cron, day, type Every, type Iso } from './cadence.js';
import { dayNames, monthNames, ranges } from './calendar-ranges.js';
import { countInWords, durationInWords, listInWords, titleCase } from './duration-wording.js';
import type { CronFields } from './read-cron-fields.js';

/** A cadence as one short line in plain English. */
export function describeCadence(cadence: Cadence): string {
  switch (cadence.kind) {
    case 'once':
      return `once at ${moment(cadence.at)}`;
    case 'every':
      return `${firstRun(cadence)}every ${one(durationInWords(cadence.millis))} from ${moment(cadence.anchor)}`;
    case 'iso':
      return `${firstRun(cadence)}${describeIso(cadence)}`;
    case 'cron':
      return describeCron(cadence);
  }
}

/** A first run apart from the grid. */
function firstRun({ first, anchor }: Every | Iso): string {
  return first === undefined || first === anchor ? '' : `first at ${moment(first)}, then `;
}

function describeIso({ months, days, millis, anchor }: Iso): string {
  const years = months % 12 === 0 ? months / 12 : 0;
  const stretch = years > 0 ? countInWords(years, 'year') : countInWords(months, 'month');
  if (days > 0 || millis > 0)
    return `every ${listInWords([stretch, durationInWords(days * day + millis)])} from ${moment(anchor)}`;
  const [date, time] = clock(anchor).split(' ') as [string, string];
  const dayOfMonth = new Date(anchor).getUTCDate();
  if (years > 0) {
    const month = monthNames[new Date(anchor).getUTCMonth()]!;
    const leapDay = month === 'FEBRUARY' && dayOfMonth === 29 ? ', or 28 February,' : '';
    return `every ${one(stretch)} on ${dayOfMonth} ${titleCase(month)}${leapDay} at ${time} UTC from ${date.slice(0, 4)}`;
  }
  const shorter = dayOfMonth > 28 ? ', or the last day of a shorter month,' : '';
  return `every ${one(stretch)} on day ${dayOfMonth}${shorter} at ${time} UTC from ${date}`;
}

/** `1 month` after "every" is `month`. */
function one(stretch: string): string {
  return /^1 \w+$/.test(stretch) ? stretch.slice(2) : stretch;
}

function moment(instant: number): string {
  return `${clock(instant)} UTC`;
}

/** Date and time, with seconds unless they are zero. */
function clock(instant: number): string {
  return formatInstant(instant).slice(0, 19).replace('T', ' ').replace(/:00$/, '');
}

/** A cron expression in plain English. Fields without a better wording are listed, so that the text is never wrong. */
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
  if (clock.length <= 6) return { text: `at ${listInWords(clock)}`, often: false };
  const within = `in ${hours.length === 1 ? 'hour' : 'hours'} ${spans(hours)}`;
  if (beat === 1) return { text: `every minute ${within}`, often: true };
  if (beat !== undefined && minutes[0] === 0 && beat < 60)
    return { text: `every ${beat} minutes ${within}`, often: true };
  return { text: `${past} ${within}`, often: true };
}

function dates(fields: CronFields): string {
  const { daysOfMonth, daysOfWeek, months, eitherDay } = fields;
  const allMonths = months.length === 12;
  const inMonths = listInWords(months.map((month) => titleCase(monthNames[month - 1]!)));
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
  return `every ${listInWords([...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((value) => titleCase(dayNames[value]!)))}`;
}

/** The distance at which values repeat evenly all around a field of `size`, if they do. */
function evenly(values: number[], size: number): number | undefined {
  const beat = size / values.length;
  return Number.isInteger(beat) && values.every((value, i) => value === values[0]! + i * beat) ? beat : undefined;
}

/** `1 to 5, 9 and 12`. */
function spans(values: number[]): string {
  return listInWords(
    ranges(values).flatMap(({ start, end, step }): (string | number)[] => {
      if (step === 1 && end - start > 1) return [`${start} to ${end}`];
      return values.filter((value) => value >= start && value <= end && (value - start) % step === 0);
    }),
  );
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
