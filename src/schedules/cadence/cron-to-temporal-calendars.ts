import type { CalendarSpec, IntervalSpec, ScheduleSpec } from '@temporalio/client';
import { type Cron, day, minute, writtenOutFor } from './cadence.js';
import { dayNames, monthNames, namedRanges, ranges } from './calendar-ranges.js';
import { corrections } from './clock-change-corrections.js';
import type { CronFields } from './read-cron-fields.js';
import { transitions } from './zone-transitions.js';

/** The server refuses longer comments. */
const longestComment = 200;

/** A cron expression as zone calendars, as written by its author, with one-off corrections where the server would lose a time. */
export function compileCron(
  cron: Cron,
  now: number,
  completeUntil = now + writtenOutFor,
): ScheduleSpec & { completeUntil?: number } {
  const comment = `${cron.expression} ${cron.zone}`.slice(0, longestComment);
  const changes = [...transitions(cron.zone, now - 2 * day, completeUntil)];
  if (changes.length === 0) return { calendars: zoneCalendars(cron.fields, comment), timezone: cron.zone };
  const minutes = minutesOfAnyZone(cron, [changes[0]!.before, ...changes.map(({ after }) => after)]);
  if (minutes) return { calendars: zoneCalendars({ ...cron.fields, minutes }, comment), timezone: 'UTC' };
  const spec: ScheduleSpec = { calendars: zoneCalendars(cron.fields, comment), timezone: cron.zone };
  const calendars: CalendarSpec[] = [...spec.calendars!];
  const intervals: IntervalSpec[] = [];
  for (const change of changes) {
    const more = corrections(cron, spec, change);
    calendars.push(...more.calendars);
    intervals.push(...more.intervals);
  }
  return {
    calendars,
    ...(intervals.length > 0 && { intervals }),
    timezone: cron.zone,
    completeUntil,
  };
}

/** Calendars combine all their fields with AND, so two restricted day fields need two calendars. */
function zoneCalendars(fields: CronFields, comment: string): CalendarSpec[] {
  const base: CalendarSpec = {
    minute: fields.minutes.length === 60 ? '*' : ranges(fields.minutes),
    hour: fields.hours.length === 24 ? '*' : ranges(fields.hours),
    ...(fields.months.length < 12 && {
      month: namedRanges(
        fields.months.map((month) => month - 1),
        monthNames,
      ),
    }),
    comment,
  };
  const ofMonth = fields.daysOfMonth.length < 31 && { dayOfMonth: ranges(fields.daysOfMonth) };
  const ofWeek = fields.daysOfWeek.length < 7 && { dayOfWeek: namedRanges(fields.daysOfWeek, dayNames) };
  if (!fields.eitherDay) return [{ ...base, ...ofMonth, ...ofWeek }];
  return [
    { ...base, ...ofMonth },
    { ...base, ...ofWeek },
  ];
}

/**
 * The minutes in UTC of a cron that runs in every hour of every day at minutes that all of the zone's offsets agree on:
 * the zone then does not matter, and UTC has no clock changes.
 */
function minutesOfAnyZone({ fields }: Cron, offsets: number[]): number[] | undefined {
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = fields;
  const always = hours.length === 24 && daysOfMonth.length === 31 && months.length === 12 && daysOfWeek.length === 7;
  if (!always) return undefined;
  const inUtc = (offset: number) =>
    minutes.map((value) => (((value - offset / minute) % 60) + 60) % 60).sort((a, b) => a - b);
  const all = offsets.map(inUtc);
  return all.every((some) => some.join() === all[0]!.join()) ? all[0] : undefined;
}
