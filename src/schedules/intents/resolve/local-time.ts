import { day, minute } from '../../cadence/cadence.js';
import { localTime, transitions } from '../../cadence/zone-transitions.js';
import type { ClockTime } from '../time/clock-time-phrases.js';
import type { CivilDay } from '../time/date-phrases.js';
import { englishMonths } from '../time/weekdays-and-months.js';

/** RFC 3339 timestamp in UTC, without fractional seconds. */
export function rfc3339(instant: number): string {
  return localTime('UTC', instant).toISO({ suppressMilliseconds: true })!;
}

/** Local date and time as a number, as if the clock were in UTC. */
export function wallTime(date: CivilDay, { hour, minute: minutes }: ClockTime): number {
  return date + (hour * 60 + minutes) * minute;
}

/** Instants at which a zone's clock shows a local time: one, two when clocks go back, none when they go forward. */
export function instantsOf(zone: string, wall: number): number[] {
  const shown = localTime('UTC', wall).setZone(zone, { keepLocalTime: true });
  if (Number(shown.setZone('UTC', { keepLocalTime: true })) !== wall) return [];
  return shown
    .getPossibleOffsets()
    .map(Number)
    .sort((a, b) => a - b);
}

/** Instants around a gap that contains `wall`: the last minute before, the first minute after, and `wall` shifted by the length of the gap. */
export function aroundGap(zone: string, wall: number): { before: number; after: number; shifted: number } {
  const changes = [...transitions(zone, wall - day, wall + day)];
  const { at, before } = changes.find((it) => it.at + it.before <= wall && wall < it.at + it.after)!;
  return { before: at - minute, after: at, shifted: wall - before };
}

/** Time of day in a zone: `02:30`. */
export function clockInZone(zone: string, instant: number): string {
  return localTime(zone, instant).toFormat('HH:mm');
}

/** `2026-11-17`. */
export function dateText(date: CivilDay): string {
  return localTime('UTC', date).toFormat('yyyy-MM-dd');
}

/** `Tue 2026-11-17`. */
export function dayText(date: CivilDay): string {
  return localTime('UTC', date).toFormat('ccc yyyy-MM-dd');
}

/** Date and time in a zone: `Tue 2026-11-17 09:00`. */
export function momentText(zone: string, instant: number): string {
  const at = localTime(zone, instant);
  return at.toFormat(instant % minute === 0 ? 'ccc yyyy-MM-dd HH:mm' : 'ccc yyyy-MM-dd HH:mm:ss');
}

/** `4 March`. */
export function monthDayText(month: number, date: number): string {
  return `${date} ${englishMonths[month - 1]}`;
}
