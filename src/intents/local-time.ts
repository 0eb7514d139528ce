import { day, minute, second } from '../scheduling/cadence/cadence.js';
import { offsetAt } from '../scheduling/cadence/zone.js';
import { formatInstant } from '../time/duration.js';
import type { ClockTime } from './clock.js';
import type { CivilDay } from './dates.js';
import { monthNames, weekdayNames } from './days.js';

/** RFC 3339 in UTC, without a fraction. */
export function rfc(instant: number): string {
  return formatInstant(instant).replace(/\.000Z$/, 'Z');
}

/** What a wall clock shows on a day at a time, as if it stood in UTC. */
export function wallTime(date: CivilDay, { hour, minute: minutes }: ClockTime): number {
  return date + (hour * 60 + minutes) * minute;
}

/** The instants at which a zone's clock shows a time: one, two where it goes back, none where it jumps. */
export function instantsOf(zone: string, wall: number): number[] {
  const offsets = [...new Set([offsetAt(zone, wall - day), offsetAt(zone, wall + day)])];
  const found = offsets.map((offset) => wall - offset).filter((instant) => instant + offsetAt(zone, instant) === wall);
  return [...new Set(found)].sort((a, b) => a - b);
}

/** Around a jump over `wall`: the last minute before it, the first after it, and the time as far behind the jump as it was meant to be. */
export function aroundJump(zone: string, wall: number): { before: number; after: number; shifted: number } {
  const [early, late] = [offsetAt(zone, wall - day), offsetAt(zone, wall + day)];
  const shifted = wall - early;
  let [low, high] = [wall - late, shifted];
  while (high - low > minute) {
    const middle = Math.floor((low + high) / 2 / minute) * minute;
    if (offsetAt(zone, middle) === late) high = middle;
    else low = middle;
  }
  const after = offsetAt(zone, low) === late ? low : high;
  return { before: after - minute, after, shifted };
}

/** `02:30`. */
export function clockAt(zone: string, instant: number): string {
  return formatInstant(instant + offsetAt(zone, instant)).slice(11, 16);
}

/** `2026-11-17`. */
export function dateText(date: CivilDay): string {
  return formatInstant(date).slice(0, 10);
}

/** `Tue 2026-11-17`. */
export function dayText(date: CivilDay): string {
  return `${weekdayNames[new Date(date).getUTCDay()]!.slice(0, 3)} ${dateText(date)}`;
}

/** `Tue 2026-11-17 09:00` in a zone. */
export function momentText(zone: string, instant: number): string {
  const wall = instant + offsetAt(zone, instant);
  return `${dayText(Math.floor(wall / day) * day)} ${formatInstant(wall).slice(11, wall % minute === 0 ? 16 : 19)}`;
}

/** `4 March`. */
export function monthDayText(month: number, date: number): string {
  return `${date} ${monthNames[month - 1]}`;
}

/** The first whole second at or after an instant. */
export function onSecond(instant: number): number {
  return Math.ceil(instant / second) * second;
}
