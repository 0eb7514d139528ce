import { type Cadence, type Cron, day, minute, second } from './cadence.js';
import { durationInWords } from './duration-wording.js';

/** Bounds of a cadence: the shortest and longest time between two occurrences, in milliseconds. */
export interface Bounds {
  shortest?: number;
  longest?: number;
}

/** The bounds of jobs. */
export const jobBounds: Bounds = { shortest: 10 * second, longest: 365 * day };

/** The bounds of bindings and producers; configuration may lower the shortest. */
export const bindingBounds: Bounds = { shortest: minute };

/** The fault of a cadence that is out of bounds; undefined if it is not. */
export function outOfBounds(cadence: Cadence, { shortest = 0, longest = Number.POSITIVE_INFINITY }: Bounds) {
  const stretch = shortestStretch(cadence);
  if (stretch === undefined) return undefined;
  if (stretch < shortest)
    return {
      code: 'CADENCE_TOO_SHORT' as const,
      message: `It would run every ${durationInWords(stretch)}`,
      hint: `The shortest allowed is ${durationInWords(shortest)}.`,
    };
  if (stretch > longest && cadence.kind !== 'cron')
    return {
      code: 'CADENCE_TOO_LONG' as const,
      message: `It would run every ${durationInWords(stretch)}`,
      hint: `The longest allowed is ${durationInWords(longest)}.`,
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

/** By the fields alone, as if every day matched. */
function shortestOfCron({ fields: { minutes, hours } }: Cron): number {
  const times = hours.flatMap((hour) => minutes.map((value) => hour * 60 + value));
  const gaps = times.map((time, i) => (times[i + 1] ?? times[0]! + 1440) - time);
  return Math.min(...gaps) * minute;
}
