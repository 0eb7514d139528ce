import { IANAZone } from 'luxon';
import { boundedCache } from '../json/bounded-cache.js';

/** The offset of a zone at an instant: local time minus UTC, both in milliseconds. */
export type ZoneOffset = (instant: number) => number;

/** Zone rules never change within a process; the bound keeps hostile names from filling memory. */
const offsets = boundedCache<ZoneOffset | null>(200);

/** The offsets of a zone by its IANA id; null for an unknown zone. */
export function zoneOffset(id: string): ZoneOffset | null {
  return offsets(id, () => {
    if (id === 'UTC') return () => 0;
    if (!IANAZone.isValidZone(id)) return null;
    // Luxon caches every spelling of an id. Ids are case-insensitive, so one spelling of each is enough.
    const zone = IANAZone.create(id.toLowerCase());
    return (instant) => Math.round(zone.offset(instant) * 60_000);
  });
}

/** Why a text is not a zone id, and a hint. */
export interface ZoneFault {
  message: string;
  hint: string;
}

const areaAndPlace = /^[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z0-9+_-]*)+$/;

/**
 * Checks that `name` is an IANA zone id as Temporal's server accepts it: in exact case, and not an abbreviation, because
 * `EST` never changes to summer time and `PST` does not name a zone at all. Undefined when nothing is wrong.
 */
export function zoneFault(name: string): ZoneFault | undefined {
  if (name === 'UTC') return undefined;
  const known = knownZone(name);
  if (areaAndPlace.test(name) && known === name) return undefined;
  if (known?.includes('/') && known !== name)
    return { message: `"${name}" is not spelled as the IANA zone is`, hint: `Write ${known}.` };
  if (/^[+-]\d/.test(name) || /^(?:UTC|GMT)[+-]/.test(name))
    return {
      message: `"${name}" is an offset, not a time zone`,
      hint: 'Name a place in the zone, for example Europe/Berlin.',
    };
  return {
    message: `"${name}" is not an IANA time zone`,
    hint: 'Use an area and a place, for example America/New_York, or UTC.',
  };
}

/** The platform's spelling of a zone; an alias that the platform does not list is returned as given. */
function knownZone(name: string): string | undefined {
  if (!IANAZone.isValidZone(name)) return undefined;
  const lower = name.toLowerCase();
  // biome-ignore lint/style/noRestrictedGlobals: only the list of zones, without an instant or a locale
  const same = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === lower);
  return same ?? (/[A-Z]{5}/.test(name) ? undefined : name);
}
