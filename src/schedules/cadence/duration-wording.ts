import { spanParts } from '../../base/time/duration.js';
import { day, hour, minute, second } from './cadence.js';

const units: [number, string][] = [
  [7 * day, 'week'],
  [day, 'day'],
  [hour, 'hour'],
  [minute, 'minute'],
  [second, 'second'],
  [1, 'millisecond'],
];

/** A stretch of time in words: `90 minutes`, `1 day and 2 hours`. */
export function durationInWords(millis: number): string {
  const whole = units.find(([length]) => millis % length === 0 && millis / length < (length === hour ? 48 : 1000));
  if (whole) return countInWords(millis / whole[0], whole[1]);
  return listInWords(spanParts(millis).map(([unit, count]) => countInWords(count, unit.slice(0, -1))));
}

/** `1 day`, `2 days`. */
export function countInWords(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listInWords(words: readonly (string | number)[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** `January` for Temporal's `JANUARY`. */
export function titleCase(name: string): string {
  return `${name[0]}${name.slice(1).toLowerCase()}`;
}
