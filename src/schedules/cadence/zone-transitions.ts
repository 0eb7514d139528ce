import { DateTime } from 'luxon';
import { boundedCache } from '../../base/json/bounded-cache.js';
import { type ZoneOffset, zoneOffset } from '../../base/time/zones.js';
import { day, minute } from './cadence.js';

/** A stretch of time in which a zone keeps one offset; cut at the turn of each UTC year. */
export interface ZoneSegment {
  start: number;
  /** Exclusive. */
  end: number;
  /** Local time minus UTC, in milliseconds. */
  offset: number;
}

/** A change of a zone's offset. */
export interface Transition {
  at: number;
  before: number;
  after: number;
}

interface Zone {
  offsetAt: ZoneOffset;
  years: Map<number, ZoneSegment[]>;
}

/** Luxon queries the platform for each instant, which is slow, so the offsets of a zone are cached by year. */
const zones = boundedCache<Zone>(200);

function zoneNamed(name: string): Zone {
  return zones(name, () => {
    const offsetAt = zoneOffset(name);
    if (!offsetAt) throw new RangeError(`there is no zone ${name}`);
    return { offsetAt, years: new Map() };
  });
}

function firstMinuteWith(offset: number, read: ZoneOffset, from: number, to: number): number {
  let [before, after] = [from, to];
  while (after - before > minute) {
    const middle = Math.floor((before + after) / 2 / minute) * minute;
    if (read(middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}

function readYear(read: ZoneOffset, year: number): ZoneSegment[] {
  const end = Date.UTC(year + 1, 0, 1);
  const segments: ZoneSegment[] = [];
  let start = Date.UTC(year, 0, 1);
  let offset = read(start);
  // No zone changes twice within four days.
  for (let probe = start, last = start; probe < end; last = probe) {
    probe = Math.min(probe + 4 * day, end);
    const now = read(probe);
    if (now === offset) continue;
    const at = firstMinuteWith(now, read, last, probe);
    if (at >= end) break;
    segments.push({ start, end: at, offset });
    start = at;
    offset = now;
  }
  segments.push({ start, end, offset });
  return segments;
}

/** The stretch of constant offset that `instant` lies in. */
export function segmentAt(zoneName: string, instant: number): ZoneSegment {
  const zone = zoneNamed(zoneName);
  const year = new Date(instant).getUTCFullYear();
  let segments = zone.years.get(year);
  if (!segments) {
    segments = readYear(zone.offsetAt, year);
    zone.years.set(year, segments);
  }
  return segments.find(({ end }) => instant < end)!;
}

/** The offset of a zone at an instant, in milliseconds. */
export function offsetAt(zoneName: string, instant: number): number {
  return segmentAt(zoneName, instant).offset;
}

/** Every change of the zone's offset after `from` and up to `to`. */
export function* transitions(zoneName: string, from: number, to: number): Generator<Transition> {
  let segment = segmentAt(zoneName, from);
  while (segment.end <= to) {
    const next = segmentAt(zoneName, segment.end);
    if (next.offset !== segment.offset) yield { at: next.start, before: segment.offset, after: next.offset };
    segment = next;
  }
}

/** An instant on a zone's clock and calendar. */
export function localTime(zoneName: string, instant: number): DateTime {
  return DateTime.fromMillis(instant, { zone: zoneName, locale: 'en-US' });
}

/** `02:30` for a wall clock's time. */
export function clockText(wall: number): string {
  return localTime('UTC', wall).toFormat('HH:mm');
}

/** The other instant with the same local time, if the zone's clock goes back over it. */
export function otherInstantOfLocalTime(zoneName: string, instant: number): number | undefined {
  const both = localTime(zoneName, instant).getPossibleOffsets().map(Number);
  return both.find((it) => it !== instant);
}
