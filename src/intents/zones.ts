import { memo } from '../json/memo.js';
import { zoneFault } from '../time/zone-names.js';
import { named, places, shared } from './zone-table.js';

/** A zone as it was said: known, one of several, or something that names none. */
export type SaidZone = { zone: string } | { abbreviation: string; options: [string, string][] } | { unknown: true };

const areas = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian'];

/** Asking the platform for a zone is slow; the bound keeps hostile names from filling memory. */
const ofPlace = memo<string | null>(500);

/** The zone of a city or country; undefined if there is none of that name. */
function placeZone(spoken: string): string | undefined {
  const name = spoken.normalize('NFD').replace(/\p{M}/gu, '');
  if (Object.hasOwn(places, name)) return places[name];
  if (!/^\p{L}[\p{L} .'-]{2,30}$/u.test(name) || areas.some((area) => area.toLowerCase() === name)) return undefined;
  const spelled = capitals(name.replaceAll(' ', '_'));
  const find = () => areas.map((area) => `${area}/${spelled}`).find((id) => zoneFault(id) === undefined) ?? null;
  return ofPlace(spelled, find) ?? undefined;
}

/** `america/new_york` as the database spells it. */
function capitals(name: string): string {
  return name
    .replace(/(^|[_/-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/_(Of|Es|Au|Do)(?=_|$)/g, (word) => word.toLowerCase());
}

const idPattern = /^[a-z]+(?:\/[a-z0-9_+-]+){1,2}$/;

/** How a zone was said: by a name that can be nothing else, or as a place that may just be a place. */
export interface ZoneReading {
  said: SaidZone;
  /** "in Berlin": only next to a time is it a zone. */
  place: boolean;
}

/** Reads `UTC`, `PT`, `Berlin time`, `in Europe/Paris`, `in Berlin`; `original` has the capitals that abbreviations need. */
export function readZone(phrase: string, original: string): ZoneReading | undefined {
  const match =
    /^(?:(in|at|on|using|with|to) )?(?:the )?(.{1,40}?)(?:('s)? ?(time|local time|standard time|daylight time))?(?: ?(?:time ?)?zone)?$/.exec(
      phrase,
    );
  if (!match) return undefined;
  const [, preposition, name, , suffix] = match as unknown as [string, string?, string?, string?, string?];
  if (name === undefined) return undefined;
  const clear = suffix !== undefined || / ?(?:time ?)?zone$/.test(phrase);
  const certain = (said: SaidZone): ZoneReading => ({ said, place: false });
  if (idPattern.test(name)) {
    const id = name === 'utc' ? 'UTC' : capitals(name);
    return zoneFault(id) === undefined
      ? certain({ zone: id })
      : clear || preposition
        ? certain({ unknown: true })
        : undefined;
  }
  const offset = /^(?:utc|gmt) ?([+-])(\d{1,2})(?::?00)?$/.exec(name);
  if (offset) {
    const hours = Number(offset[2]);
    if (hours > 12) return certain({ unknown: true });
    return certain({ zone: hours === 0 ? 'UTC' : `Etc/GMT${offset[1] === '+' ? '-' : '+'}${hours}` });
  }
  if (/^(?:utc|gmt)? ?[+-]\d{1,2}:?\d{2}$/.test(name)) return certain({ unknown: true });
  const upper = name.toUpperCase();
  const asWritten = original.includes(upper);
  if (Object.hasOwn(shared, upper) && (asWritten || clear))
    return certain({ abbreviation: upper, options: shared[upper]! });
  // "et", "mt", "west" are also words: as abbreviations they are written in capitals.
  if (
    Object.hasOwn(named, name) &&
    (clear || asWritten || /^(?:utc|gmt|pst|pdt|est|edt|mst|mdt|cdt|cet|cest|jst)$/.test(name))
  )
    return certain({ zone: named[name]! });
  const place = placeZone(name);
  if (place !== undefined && (clear || preposition === 'in')) return { said: { zone: place }, place: !clear };
  if (
    suffix !== undefined &&
    /^\p{L}{2,20}$/u.test(name) &&
    !/day$|^(?:noon|midnight|midday|morning|evening|night|the|this|that|same|local|some|any|a|every|each|at|first|last|next|in|on|by|of|run|its|it|my|our|your|their|lunch|show|tea|break|quiet|down|up|all|over|what|which)\b/.test(
      name,
    )
  )
    return preposition === 'in' || preposition === 'to' || preposition === undefined
      ? { said: { unknown: true }, place: true }
      : undefined;
  return undefined;
}

/** A zone that was asked for or is being changed to: anything is one, known or not. */
export function saidZone(text: string): SaidZone {
  const [phrase, original] = [text.trim().toLowerCase(), text.trim()];
  const read = readZone(phrase, original.toUpperCase()) ?? readZone(`${phrase} time`, original);
  return read?.said ?? { unknown: true };
}

/** Letters after a time that name no zone we know: `9am XYZ`. */
export function isUnknownAbbreviation(word: string): boolean {
  const original = word.replace(/^\(|[),;.]+$/g, '');
  return /^[A-Z]{2,5}$/.test(original) && !/^(?:AM|PM|AND|OR|TO|IN|ON|THE|OK|PLEASE|NOW|ALL)$/.test(original);
}
