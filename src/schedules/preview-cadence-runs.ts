import { formatInstant } from '../base/time/instant.js';
import type { Cadence, Cron } from './cadence/cadence.js';
import { movedTo } from './cadence/cron-occurrences.js';
import { listInWords } from './cadence/duration-wording.js';
import { enumerate } from './cadence/occurrences.js';
import { clockText, localTime, otherInstantOfLocalTime } from './cadence/zone-transitions.js';

/** A coming run, for people. */
export interface PreviewedRun {
  /** RFC 3339, in UTC. */
  instant: string;
  /** The local time in the zone: `2027-03-14T03:00:00`. */
  local: string;
  /** `-04:00`. */
  offset: string;
  /** The effect of a change of the clock. */
  note?: string;
}

/** The next `count` runs after `from`, without a server; `zone` is the clock to show for cadences that have none. */
export function preview(cadence: Cadence, from: number, count: number, zone = 'UTC'): PreviewedRun[] {
  const clock = cadence.kind === 'cron' ? cadence.zone : zone;
  return enumerate(cadence, from, { count }).map((instant) => {
    const local = localTime(clock, instant);
    const note = cadence.kind === 'cron' ? noteOn(cadence, instant) : undefined;
    return {
      instant: formatInstant(instant),
      local: local.toFormat("yyyy-MM-dd'T'HH:mm:ss"),
      offset: local.toFormat('ZZ'),
      ...(note !== undefined && { note }),
    };
  });
}

function noteOn(cron: Cron, instant: number): string | undefined {
  const moved = movedTo(cron, instant).map(clockText);
  if (moved.length > 0) {
    const from = moved.length > 4 ? `${moved[0]} to ${moved.at(-1)}` : listInWords(moved);
    return `moved from ${from}, which ${moved.length === 1 ? 'does' : 'do'} not exist that day`;
  }
  const other = otherInstantOfLocalTime(cron.zone, instant);
  if (other === undefined) return undefined;
  return `clock goes back: ${instant < other ? 'first' : 'second'} of two`;
}
