/** Why a text is not a zone id, and what to do about it. */
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
      hint: 'Name the place whose clock counts, for example Europe/Berlin.',
    };
  return {
    message: `"${name}" is not an IANA time zone`,
    hint: 'Use an area and a place, for example America/New_York, or UTC.',
  };
}

/** The zone as the platform spells it; an accepted name that is only an alias is taken as it stands. */
function knownZone(name: string): string | undefined {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: only the list of zones, without an instant or a locale
    new Intl.DateTimeFormat('en-US', { timeZone: name });
  } catch {
    return undefined;
  }
  const lower = name.toLowerCase();
  // biome-ignore lint/style/noRestrictedGlobals: only the list of zones, without an instant or a locale
  const same = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === lower);
  return same ?? (/[A-Z]{5}/.test(name) ? undefined : name);
}
