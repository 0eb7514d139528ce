import { boundedCache } from '../../../base/json/bounded-cache.js';
import { zoneFault } from '../../../base/time/zones.js';

/** A time zone in an utterance: known, ambiguous, or unknown. */
export type ZoneExpression =
  | { zone: string }
  | { abbreviation: string; options: [string, string][] }
  | { unknown: true };

const areas = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian'];

/** Zones by place name. Looking up a zone is slow; the bound keeps hostile input from filling memory. */
const ofPlace = boundedCache<string | null>(500);

/** The zone of a city or country; undefined if the place is unknown. */
function placeZone(spoken: string): string | undefined {
  const name = spoken.normalize('NFD').replace(/\p{M}/gu, '');
  const known = placeZones.get(name);
  if (known !== undefined) return known;
  if (!/^\p{L}[\p{L} .'-]{2,30}$/u.test(name) || areas.some((area) => area.toLowerCase() === name)) return undefined;
  const spelled = capitals(name.replaceAll(' ', '_'));
  const find = () => areas.map((area) => `${area}/${spelled}`).find((id) => zoneFault(id) === undefined) ?? null;
  return ofPlace(spelled, find) ?? undefined;
}

/** Capitalizes a zone name as in the IANA database: `america/new_york` → `America/New_York`. */
function capitals(name: string): string {
  return name
    .replace(/(^|[_/-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/_(Of|Es|Au|Do)(?=_|$)/g, (word) => word.toLowerCase());
}

const idPattern = /^[a-z]+(?:\/[a-z0-9_+-]+){1,2}$/;

/** A zone, and whether it was named as a place. */
export interface ZoneReading {
  said: ZoneExpression;
  /** "in Berlin": a place is a zone only next to a time. */
  place: boolean;
}

/** Reads `UTC`, `PT`, `Berlin time`, `in Europe/Paris`, `in Berlin`; `original` keeps the capitals that abbreviations need. */
export function readZone(phrase: string, original: string): ZoneReading | undefined {
  const match =
    /^(?:(in|at|on|using|with|to) )?(?:the )?(.{1,40}?)(?:('s)? ?(time|local time|standard time|daylight time))?(?: ?(?:time ?)?zone)?$/.exec(
      phrase,
    );
  if (!match) return undefined;
  const [, preposition, name, , suffix] = match as unknown as [string, string?, string?, string?, string?];
  if (name === undefined) return undefined;
  const clear = suffix !== undefined || / ?(?:time ?)?zone$/.test(phrase);
  const certain = (said: ZoneExpression): ZoneReading => ({ said, place: false });
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
  if (Object.hasOwn(sharedAbbreviations, upper) && (asWritten || clear))
    return certain({ abbreviation: upper, options: sharedAbbreviations[upper]! });
  // "et", "mt", "west" are ordinary words too: as abbreviations they need capitals.
  const abbreviated = zoneNames.get(name);
  if (
    abbreviated !== undefined &&
    (clear || asWritten || /^(?:utc|gmt|pst|pdt|est|edt|mst|mdt|cdt|cet|cest|jst)$/.test(name))
  )
    return certain({ zone: abbreviated });
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

/** Reads the answer to a question about the zone, or the new zone of a job. Any text counts as a zone, known or unknown. */
export function zoneExpression(text: string): ZoneExpression {
  const [phrase, original] = [text.trim().toLowerCase(), text.trim()];
  const read = readZone(phrase, original.toUpperCase()) ?? readZone(`${phrase} time`, original);
  return read?.said ?? { unknown: true };
}

/** Whether letters after a time form an unknown abbreviation: `9am XYZ`. */
export function isUnknownAbbreviation(word: string): boolean {
  const original = word.replace(/^\(|[),;.]+$/g, '');
  return /^[A-Z]{2,5}$/.test(original) && !/^(?:AM|PM|AND|OR|TO|IN|ON|THE|OK|PLEASE|NOW|ALL)$/.test(original);
}

/** Zones by abbreviations and names that mean one zone in every season. */
const zoneNames = byName({
  UTC: 'utc, gmt, zulu, z, coordinated universal, universal',
  'America/Los_Angeles': 'pt, pst, pdt, pacific, us pacific',
  'America/New_York': 'et, est, edt, eastern, us eastern',
  'America/Chicago': 'ct, cdt, central, us central',
  'America/Denver': 'mt, mst, mdt, mountain, us mountain',
  'America/Anchorage': 'akst, akdt, alaska',
  'Pacific/Honolulu': 'hst, hawaii, hawaiian',
  'Europe/Berlin': 'cet, cest, central european',
  'Europe/Lisbon': 'wet, west',
  'Europe/Moscow': 'msk',
  'Asia/Tokyo': 'jst',
  'Asia/Seoul': 'kst',
  'Asia/Hong_Kong': 'hkt',
  'Asia/Singapore': 'sgt',
  'Australia/Sydney': 'aedt, aet',
  'Australia/Perth': 'awst',
  'Pacific/Auckland': 'nzst, nzdt, nzt',
  'America/Sao_Paulo': 'brt',
  'America/Argentina/Buenos_Aires': 'art',
  'Asia/Karachi': 'pkt',
});

/** Abbreviations that are used in several places, with a label and the zone of each. */
const sharedAbbreviations: Record<string, [string, string][]> = {
  CST: [
    ['Central Time', 'America/Chicago'],
    ['China', 'Asia/Shanghai'],
    ['Cuba', 'America/Havana'],
  ],
  IST: [
    ['India', 'Asia/Kolkata'],
    ['Ireland', 'Europe/Dublin'],
    ['Israel', 'Asia/Jerusalem'],
  ],
  BST: [
    ['Bangladesh', 'Asia/Dhaka'],
    ['Britain', 'Europe/London'],
  ],
  AST: [
    ['Arabia', 'Asia/Riyadh'],
    ['Atlantic Time', 'America/Halifax'],
  ],
  GST: [
    ['Gulf', 'Asia/Dubai'],
    ['South Georgia', 'Atlantic/South_Georgia'],
  ],
  AEST: [
    ['Brisbane', 'Australia/Brisbane'],
    ['Sydney', 'Australia/Sydney'],
  ],
  ACST: [
    ['Adelaide', 'Australia/Adelaide'],
    ['Darwin', 'Australia/Darwin'],
  ],
  EET: [
    ['Egypt', 'Africa/Cairo'],
    ['Finland', 'Europe/Helsinki'],
    ['Greece', 'Europe/Athens'],
  ],
  ADT: [
    ['Atlantic Time', 'America/Halifax'],
    ['Arabia', 'Asia/Riyadh'],
  ],
};

/** Zones by places whose IANA zone has another name. */
const placeZones = byName({
  'America/Los_Angeles':
    'san francisco, sf, la, seattle, portland, san diego, california, las vegas, san jose, nevada, sacramento',
  'America/New_York':
    'nyc, new york city, boston, washington dc, miami, atlanta, philadelphia, pittsburgh, florida, connecticut, delaware, maine, maryland, massachusetts, new hampshire, new jersey, new york state, north carolina, ohio, pennsylvania, rhode island, south carolina, vermont, virginia, west virginia',
  'America/Chicago':
    'austin, dallas, houston, texas, minneapolis, new orleans, alabama, arkansas, illinois, iowa, louisiana, minnesota, mississippi, missouri, oklahoma, wisconsin, st louis, kansas city, nashville',
  'America/Denver': 'colorado, salt lake city, utah, wyoming, montana, new mexico',
  'America/Phoenix': 'arizona',
  'America/Anchorage': 'alaska, juneau',
  'Pacific/Honolulu': 'hawaii, maui',
  'America/Toronto': 'montreal, ottawa',
  'America/Sao_Paulo': 'rio, rio de janeiro, brasilia',
  'America/Argentina/Buenos_Aires': 'buenos aires',
  'Europe/London': 'uk, britain, england, edinburgh, manchester',
  'Europe/Dublin': 'ireland',
  'Europe/Berlin': 'germany, munich, hamburg, frankfurt, cologne',
  'Europe/Paris': 'france, lyon',
  'Europe/Rome': 'italy, milan',
  'Europe/Madrid': 'barcelona',
  'Europe/Zurich': 'geneva, switzerland, zürich',
  'Europe/Amsterdam': 'netherlands',
  'Europe/Warsaw': 'poland',
  'Europe/Vienna': 'austria',
  'Europe/Stockholm': 'sweden',
  'Europe/Oslo': 'norway',
  'Europe/Helsinki': 'finland',
  'Europe/Athens': 'greece',
  'Europe/Kyiv': 'kiev, kyiv',
  'Asia/Tokyo': 'japan, osaka, kyoto',
  'Asia/Seoul': 'korea',
  'Asia/Shanghai': 'china, beijing, shenzhen',
  'Asia/Kolkata': 'india, mumbai, delhi, new delhi, bangalore, bengaluru, chennai, hyderabad, pune, kolkata',
  'Asia/Jerusalem': 'israel, tel aviv',
  'Asia/Dubai': 'abu dhabi',
  'Asia/Karachi': 'pakistan',
  'Pacific/Auckland': 'new zealand, wellington',
  'Australia/Sydney': 'canberra',
  'Asia/Ho_Chi_Minh': 'saigon, hanoi',
});

/** Turns zone → "name, name" into name → zone. */
function byName(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(names).flatMap(([zone, list]) => list.split(', ').map((name) => [name, zone] as const)),
  );
}
