/** An ISO-8601 duration in its parts. Calendar units stay apart from elapsed time because a month has no fixed length. */
export interface Duration {
  years: number;
  months: number;
  days: number;
  /** Hours, minutes and seconds, in milliseconds. */
  millis: number;
}

const pattern = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const fractionPattern = /[.,](\d{1,9})(?=([WDHMS])$)/;
const unitMillis: Readonly<Record<string, number>> = {
  W: 604_800_000,
  D: 86_400_000,
  H: 3_600_000,
  M: 60_000,
  S: 1000,
};

/**
 * Reads `P1Y2M3DT4H5M6.7S` and its parts (`P2W`, `PT5M`); undefined when the text is not such a duration or is negative. The last part
 * may have a fraction, unless it is months or years, which have no fixed length.
 */
export function parseDuration(text: string): Duration | undefined {
  const [, digits, unit] = fractionPattern.exec(text) ?? [];
  if (unit === 'M' && !text.includes('T')) return undefined;
  const match = pattern.exec(digits === undefined ? text : text.replace(fractionPattern, ''));
  if (!match || !/\d/.test(text) || text.endsWith('T')) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1, 8).map((part) => Number(part ?? 0));
  const fraction = digits === undefined ? 0 : Math.trunc(Number(`0.${digits}`) * unitMillis[unit!]!);
  const duration: Duration = {
    years: years!,
    months: months!,
    days: weeks! * 7 + days!,
    millis: ((hours! * 60 + minutes!) * 60 + seconds!) * 1000 + fraction,
  };
  return Object.values(duration).every(Number.isSafeInteger) ? duration : undefined;
}

const adverbs: Readonly<Record<string, string>> = {
  hourly: 'PT1H',
  daily: 'P1D',
  weekly: 'P1W',
  monthly: 'P1M',
  yearly: 'P1Y',
};
const units: readonly [RegExp, before: string, after: string][] = [
  [/^(?:s|secs?|seconds?)$/i, 'PT', 'S'],
  [/^(?:m|mins?|[mM]inutes?)$/, 'PT', 'M'],
  [/^(?:h|hrs?|hours?)$/i, 'PT', 'H'],
  [/^(?:d|days?)$/i, 'P', 'D'],
  [/^(?:w|weeks?)$/i, 'P', 'W'],
  [/^(?:mo|months?)$/i, 'P', 'M'],
  [/^(?:y|years?)$/i, 'P', 'Y'],
];

/** The duration that a text most likely means which is none: `3d`, `10 minutes`, `PT3D`, `monthly`. */
export function likelyDuration(text: string): string | undefined {
  const [, amount, unit = ''] = /^P?T?(\d{1,6}) ?([a-z]+)$/i.exec(text.trim()) ?? [];
  const found = units.find(([pattern]) => pattern.test(unit));
  return found ? `${found[1]}${Number(amount)}${found[2]}` : adverbs[text.trim().toLowerCase()];
}

/** `instant` plus `duration`: calendar units are added on the UTC calendar and clamped to the month's end. */
export function addDuration(instant: number, duration: Duration): number {
  const date = new Date(instant);
  const month = date.getUTCMonth() + duration.months + duration.years * 12;
  const year = date.getUTCFullYear() + Math.floor(month / 12);
  const monthOfYear = ((month % 12) + 12) % 12;
  const lastDay = new Date(Date.UTC(year, monthOfYear + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  const timeOfDay = instant - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return Date.UTC(year, monthOfYear, day + duration.days) + timeOfDay + duration.millis;
}

const instantPattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Reads an RFC 3339 timestamp as milliseconds since the epoch; undefined when it is not one or names a date that does not exist. */
export function parseInstant(text: string): number | undefined {
  const match = instantPattern.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const millis = match[7] === undefined ? 0 : Math.trunc(Number(`0.${match[7]}`) * 1000);
  const zone = match[8]!;
  const offset = /^[Zz]$/.test(zone)
    ? 0
    : (zone[0] === '-' ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return Date.UTC(year, month - 1, day, hour, minute, second, millis) - offset * 60_000;
}

/** The last instant that RFC 3339 can write. */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The RFC 3339 text of an instant, in UTC with milliseconds. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
