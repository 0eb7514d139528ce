import { memo } from '../json/memo.js';

/** How many seconds a zone's clock is ahead of UTC, at a second of the epoch. */
export type ZoneOffsets = (epochSecond: number) => number;

/** Zone data never changes within a process, so what was read is kept; the bound keeps hostile names from filling memory. */
const remembered = memo<ZoneOffsets | null>(200);

/** The offsets of a zone by its IANA id; null if the platform knows no such zone. */
export function zoneOffsets(id: string): ZoneOffsets | null {
  return remembered(id, () => (id === 'UTC' ? () => 0 : reader(id)));
}

/**
 * The only place that asks the platform for zone rules, and only for an explicit instant: neither the machine's clock nor its
 * locale plays a part.
 */
function reader(id: string): ZoneOffsets | null {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: zone rules come from here, asked for an explicit instant only
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: id,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    return (epochSecond) => {
      // 11/16/2026 AD, 23:05:09 in this locale, with BC for years before our era.
      const text = format.format(epochSecond * 1000);
      const [month, date, year, hours, minutes, seconds] = text.match(/\d+/g)!.map(Number);
      const local = new Date(0);
      local.setUTCFullYear(/ BC/.test(text) ? 1 - year! : year!, month! - 1, date);
      local.setUTCHours(hours!, minutes, seconds);
      return local.getTime() / 1000 - epochSecond;
    };
  } catch {
    return null;
  }
}
