import { zoneOffset } from '../../../../base/time/zones.js';
import { Fault } from '../evaluation-fault.js';
import { DateTimeValue, isoOffset, ZoneValue } from './date-values.js';

const offsetText = /^([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/;

/** Parses a zone from an offset or IANA id; null if invalid. */
export function parseZone(text: string): ZoneValue | null {
  if (text === 'Z') return new ZoneValue('Z', 0);
  const match = offsetText.exec(text);
  if (match) {
    const [, sign, hours, minutes = '0', seconds = '0'] = match;
    const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    if (total > 18 * 3600) return null;
    return new ZoneValue(text, sign === '-' ? -total : total);
  }
  const prefixed = /^(GMT|UTC|UT)([+-].+)?$/.exec(text);
  if (prefixed && (prefixed[2] || prefixed[1] === 'UT')) {
    const offset = prefixed[2] ? parseZone(prefixed[2])?.offset : 0;
    if (offset === undefined || offset === null || prefixed[2]?.length === 5) return null;
    return new ZoneValue(`${prefixed[1]}${prefixed[2] ? isoOffset(offset) : ''}`, offset);
  }
  if (!/^[A-Za-z][\w+\-/]*$/.test(text) || /^[a-z]/.test(text)) return null;
  return zoneOffset(text) ? new ZoneValue(text, null) : null;
}

/** The offset of a zone at an instant. */
export function zoneOffsetAt(zone: ZoneValue, epochSecond: number): number {
  if (zone.offset !== null) return zone.offset;
  const read = zoneOffset(zone.id);
  if (!read || Math.abs(epochSecond) > 8.64e12) throw new Fault('DW_FUNCTION_ERROR', 'Unknown time zone');
  return read(epochSecond * 1000) / 1000;
}

/** The instant `epochSecond` + `nanos` as seen in `zone`. */
export function inZone(epochSecond: number, nanos: number, zone: ZoneValue): DateTimeValue {
  const offset = zoneOffsetAt(zone, epochSecond);
  const local = epochSecond + offset;
  const day = Math.floor(local / 86_400);
  return new DateTimeValue(day, (local - day * 86_400) * 1e9 + nanos, offset, zone.offset === null ? zone.id : null);
}

/** Places a local date and time in `zone`; inside a gap it moves forward by the length of the gap. */
export function atZone(day: number, nanosOfDay: number, zone: ZoneValue): DateTimeValue {
  if (zone.offset !== null) return new DateTimeValue(day, nanosOfDay, zone.offset);
  const local = day * 86_400 + Math.floor(nanosOfDay / 1e9);
  const nanos = nanosOfDay % 1e9;
  const early = zoneOffsetAt(zone, local - 86_400);
  const late = zoneOffsetAt(zone, local + 86_400);
  for (const offset of [early, late]) {
    if (zoneOffsetAt(zone, local - offset) === offset) return inZone(local - offset, nanos, zone);
  }
  return inZone(local - early, nanos, zone);
}
