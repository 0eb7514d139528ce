import { memo } from '../../json/memo.js';
import { zoneOffsets } from '../../time/zone-offsets.js';
import { day, minute } from './cadence.js';

/** A stretch of time in which a zone keeps one offset; cut at the turn of each UTC year. */
export interface Segment {
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

/** The offset at an instant, both in milliseconds. */
type OffsetReader = (instant: number) => number;

interface Zone {
  offsetAt: OffsetReader;
  years: Map<number, Segment[]>;
}

const zoneOf = memo<Zone>(200);

function zoneNamed(name: string): Zone {
  return zoneOf(name, () => {
    const read = zoneOffsets(name);
    if (!read) throw new RangeError(`there is no zone ${name}`);
    return { offsetAt: (instant) => read(Math.floor(instant / 1000)) * 1000, years: new Map() };
  });
}

function firstMinuteWith(offset: number, read: OffsetReader, from: number, to: number): number {
  let [before, after] = [from, to];
  while (after - before > minute) {
    const middle = Math.floor((before + after) / 2 / minute) * minute;
    if (read(middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}

function readYear(read: OffsetReader, year: number): Segment[] {
  const end = Date.UTC(year + 1, 0, 1);
  const segments: Segment[] = [];
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
export function segmentAt(zoneName: string, instant: number): Segment {
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

/** `+02:00` for an offset in milliseconds. */
export function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / minute;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `02:30` for what a clock shows. */
export function clockText(local: number): string {
  return new Date(local).toISOString().slice(11, 16);
}

/** The other instant at which the zone's clock shows the time it shows at `instant`, if it goes back over it. */
export function otherShowing(zoneName: string, instant: number): number | undefined {
  const { start, end, offset } = segmentAt(zoneName, instant);
  const local = instant + offset;
  for (const near of [start - 1, end]) {
    const other = local - offsetAt(zoneName, near);
    if (other !== instant && other + offsetAt(zoneName, other) === local) return other;
  }
  return undefined;
}
