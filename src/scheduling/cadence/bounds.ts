import { type Cadence, type Cron, day, minute, second } from './cadence.js';
import { wording } from './wording.js';

/** How often a schedule may run: the shortest and longest stretch between two occurrences, in milliseconds. */
export interface Bounds {
  shortest?: number;
  longest?: number;
}

/** What a job may ask for. */
export const jobBounds: Bounds = { shortest: 10 * second, longest: 365 * day };

/** What a binding or a producer may ask for; configuration may lower it. */
export const bindingBounds: Bounds = { shortest: minute };

/** Why a cadence is out of bounds; undefined when it is not. */
export function outOfBounds(cadence: Cadence, { shortest = 0, longest = Number.POSITIVE_INFINITY }: Bounds) {
  const stretch = shortestStretch(cadence);
  if (stretch === undefined) return undefined;
  if (stretch < shortest)
    return {
      code: 'CADENCE_TOO_SHORT' as const,
      message: `It would run every ${wording(stretch)}`,
      hint: `The shortest allowed is ${wording(shortest)}.`,
    };
  if (stretch > longest && cadence.kind !== 'cron')
    return {
      code: 'CADENCE_TOO_LONG' as const,
      message: `It would run every ${wording(stretch)}`,
      hint: `The longest allowed is ${wording(longest)}.`,
    };
  return undefined;
}

/** The shortest stretch between two occurrences; a year counts as 365 days. */
function shortestStretch(cadence: Cadence): number | undefined {
  switch (cadence.kind) {
    case 'once':
      return undefined;
    case 'every':
      return cadence.millis;
    case 'iso':
      return (Math.floor((cadence.months * 365) / 12) + cadence.days) * day + cadence.millis;
    case 'cron':
      return shortestOfCron(cadence);
  }
}

/** Goes by the fields alone, as if all days followed each other. */
function shortestOfCron({ fields: { minutes, hours } }: Cron): number {
  const times = hours.flatMap((hour) => minutes.map((value) => hour * 60 + value));
  const gaps = times.map((time, i) => (times[i + 1] ?? times[0]! + 1440) - time);
  return Math.min(...gaps) * minute;
}
