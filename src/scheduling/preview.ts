import { formatInstant } from '../time/duration.js';
import type { Cadence, Cron } from './cadence/cadence.js';
import { movedTo } from './cadence/cron-instants.js';
import { enumerate } from './cadence/occurrences.js';
import { list } from './cadence/wording.js';
import { clockText, offsetAt, offsetText, otherShowing } from './cadence/zone.js';

/** One coming run as a person reads it. */
export interface PreviewedRun {
  /** RFC 3339, in UTC. */
  instant: string;
  /** What the wall clock of the zone shows: `2027-03-14T03:00:00`. */
  local: string;
  /** `-04:00`. */
  offset: string;
  /** What a change of the clock has to do with it. */
  note?: string;
}

/** The next `count` runs after `from`, without a server; `zone` is the clock to show for cadences that have none. */
export function preview(cadence: Cadence, from: number, count: number, zone = 'UTC'): PreviewedRun[] {
  const clock = cadence.kind === 'cron' ? cadence.zone : zone;
  return enumerate(cadence, from, { count }).map((instant) => {
    const offset = offsetAt(clock, instant);
    const note = cadence.kind === 'cron' ? noteOn(cadence, instant) : undefined;
    return {
      instant: formatInstant(instant),
      local: formatInstant(instant + offset).slice(0, 19),
      offset: offsetText(offset),
      ...(note !== undefined && { note }),
    };
  });
}

function noteOn(cron: Cron, instant: number): string | undefined {
  const moved = movedTo(cron, instant).map(clockText);
  if (moved.length > 0) {
    const from = moved.length > 4 ? `${moved[0]} to ${moved.at(-1)}` : list(moved);
    return `moved from ${from}, which ${moved.length === 1 ? 'does' : 'do'} not exist that day`;
  }
  const other = otherShowing(cron.zone, instant);
  if (other === undefined) return undefined;
  return `clock goes back: ${instant < other ? 'first' : 'second'} of two`;
}
