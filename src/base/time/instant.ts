import { DateTime } from 'luxon';

const instantPattern =
  /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|(60))(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Reads an RFC 3339 timestamp as milliseconds since the epoch; undefined when it is not one or names a date that does not exist. */
export function parseInstant(text: string): number | undefined {
  const match = instantPattern.exec(text);
  if (!match) return undefined;
  // A leap second is the first second of the next minute.
  const leap = match[1] !== undefined;
  const at = DateTime.fromISO(leap ? `${text.slice(0, 17)}59${text.slice(19)}` : text, { zone: 'utc' });
  return at.isValid ? at.toMillis() + (leap ? 1000 : 0) : undefined;
}

/** The last instant that RFC 3339 can write. */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The RFC 3339 text of an instant, in UTC with milliseconds. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
