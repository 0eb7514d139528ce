import { type Cron, firstInstant, lastInstant } from './cadence.js';
import { countMatches, firstMatch, lastMatch, timeMatches } from './wall-clock.js';
import { type Segment, segmentAt } from './zone.js';

/**
 * The part of a cron's occurrences that falls into one stretch of constant offset, where the wall clock runs evenly.
 *
 * This is where the rule for clock changes lives. A cron whose hours are a wildcard or stepped follows the clock: every
 * matching time it shows counts, those of a repeated hour twice. With fixed hours each local time counts once: what the
 * clock shows again is left out, and what it jumps over moves to the first minute after the jump.
 */
interface Piece {
  segment: Segment;
  /** The times the clock shows that count here: [from, to). */
  from: number;
  to: number;
  /** A time was jumped over, so the first instant of the segment counts although the clock shows no matching time. */
  moved: boolean;
}

function pieceAt({ fields, zone }: Cron, instant: number): Piece {
  const segment = segmentAt(zone, instant);
  const shows = segment.start + segment.offset;
  const to = segment.end + segment.offset;
  if (fields.followsClock) return { segment, from: shows, to, moved: false };
  const shown = segment.start + segmentAt(zone, segment.start - 1).offset;
  const jumped = shown < shows && firstMatch(fields, shown, shows) !== undefined;
  return { segment, from: Math.max(shows, shown), to, moved: jumped && !timeMatches(fields, shows) };
}

function firstOf({ from = firstInstant }: Cron): number {
  return Math.max(from, firstInstant);
}

/** The first occurrence after `instant`. */
export function nextOfCron(cron: Cron, instant: number): number | undefined {
  let after = Math.max(instant, firstOf(cron) - 1);
  while (after < lastInstant) {
    const { segment, from, to, moved } = pieceAt(cron, after + 1);
    if (moved && segment.start > after) return segment.start;
    const time = firstMatch(cron.fields, Math.max(from, after + 1 + segment.offset), to);
    if (time !== undefined) return time - segment.offset;
    after = segment.end - 1;
  }
  return undefined;
}

/** The last occurrence before `instant`. */
export function previousOfCron(cron: Cron, instant: number): number | undefined {
  let before = Math.min(instant, lastInstant + 1);
  const first = firstOf(cron);
  while (before > first) {
    const { segment, from, to, moved } = pieceAt(cron, before - 1);
    const time = lastMatch(cron.fields, Math.max(from, first + segment.offset), Math.min(to, before + segment.offset));
    if (time !== undefined) return time - segment.offset;
    if (moved && segment.start >= first) return segment.start;
    before = segment.start;
  }
  return undefined;
}

/** How many occurrences lie after `after` and not after `until`. */
export function countOfCron(cron: Cron, after: number, until: number): number {
  let count = 0;
  let start = Math.max(after + 1, firstOf(cron));
  const end = Math.min(until, lastInstant) + 1;
  while (start < end) {
    const { segment, from, to, moved } = pieceAt(cron, start);
    count += countMatches(cron.fields, Math.max(from, start + segment.offset), Math.min(to, end + segment.offset));
    if (moved && segment.start >= start) count++;
    start = segment.end;
  }
  return count;
}

/** Whether the cron runs at exactly this instant. */
export function isOfCron(cron: Cron, instant: number): boolean {
  return nextOfCron(cron, instant - 1) === instant;
}

/** The local times that do not exist and were moved to `instant`; empty almost always. */
export function movedTo(cron: Cron, instant: number): number[] {
  const { segment } = pieceAt(cron, instant);
  if (segment.start !== instant || cron.fields.followsClock) return [];
  const times: number[] = [];
  const shows = instant + segment.offset;
  let time = firstMatch(cron.fields, instant + segmentAt(cron.zone, instant - 1).offset, shows);
  while (time !== undefined) {
    times.push(time);
    time = firstMatch(cron.fields, time + 1, shows);
  }
  return times;
}
