import { DateTime, Duration as Span } from 'luxon';

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

/** Suggests the ISO-8601 duration for an invalid one such as `3d`, `10 minutes`, `PT3D` or `monthly`. */
export function likelyDuration(text: string): string | undefined {
  const [, amount, unit = ''] = /^P?T?(\d{1,6}) ?([a-z]+)$/i.exec(text.trim()) ?? [];
  const found = units.find(([pattern]) => pattern.test(unit));
  return found ? `${found[1]}${Number(amount)}${found[2]}` : adverbs[text.trim().toLowerCase()];
}

/** Adds `duration` to `instant`: calendar units on the UTC calendar, clamped to the month's end, then elapsed time. */
export function addDuration(instant: number, { years, months, days, millis }: Duration): number {
  return DateTime.fromMillis(instant, { zone: 'utc' }).plus({ years, months, days, milliseconds: millis }).toMillis();
}

/** Splits elapsed time into days, hours, minutes, seconds and milliseconds, largest first, without zeros. */
export function spanParts(millis: number): [unit: string, count: number][] {
  const span = Span.fromMillis(millis).shiftTo('days', 'hours', 'minutes', 'seconds', 'milliseconds');
  return Object.entries(span.toObject()).filter(([, count]) => count !== 0);
}
