import { formatInstant } from '../../time/duration.js';
import { type Cadence, day, type Iso } from './cadence.js';
import { describeCron } from './describe-cron.js';
import { monthNames } from './ranges.js';
import { counted, list, title, wording } from './wording.js';

/** A cadence as one short line in plain English. */
export function describe(cadence: Cadence): string {
  switch (cadence.kind) {
    case 'once':
      return `once at ${moment(cadence.at)}`;
    case 'every':
      return `every ${one(wording(cadence.millis))} from ${moment(cadence.anchor)}`;
    case 'iso':
      return describeIso(cadence);
    case 'cron':
      return describeCron(cadence);
  }
}

function describeIso({ months, days, millis, anchor }: Iso): string {
  const years = months % 12 === 0 ? months / 12 : 0;
  const stretch = years > 0 ? counted(years, 'year') : counted(months, 'month');
  if (days > 0 || millis > 0) return `every ${list([stretch, wording(days * day + millis)])} from ${moment(anchor)}`;
  const [date, time] = clock(anchor).split(' ') as [string, string];
  const dayOfMonth = new Date(anchor).getUTCDate();
  if (years > 0) {
    const month = monthNames[new Date(anchor).getUTCMonth()]!;
    const leapDay = month === 'FEBRUARY' && dayOfMonth === 29 ? ', or 28 February,' : '';
    return `every ${one(stretch)} on ${dayOfMonth} ${title(month)}${leapDay} at ${time} UTC from ${date.slice(0, 4)}`;
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

/** Date and time, with seconds where there are any. */
function clock(instant: number): string {
  return formatInstant(instant).slice(0, 19).replace('T', ' ').replace(/:00$/, '');
}
