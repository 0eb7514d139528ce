const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** An instant in the reader's zone. */
export function instantText(at: string): string {
  return full.format(new Date(at));
}

/** The minute of an instant, as a field for a local time holds it; empty if the text is not an instant. */
export function localMinute(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return '';
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The reader's zone. */
export function readersZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The time of day of an instant in the reader's zone. */
export function timeOfDay(at: string): string {
  return short.format(new Date(at));
}

/** An instant of the past in words; never later than now, because clocks differ and `now` is refreshed only now and then. */
export function pastText(at: string, now: number): string {
  return relativeText(new Date(Math.min(Date.parse(at), now)).toISOString(), now);
}

/** An instant in words, from now: `3 minutes ago`, `in 2 days`. */
export function relativeText(at: string, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const [unit, size] = units.find(([, it]) => Math.abs(seconds) >= it) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A length of time in its two largest units: `2 d 3 h`, `850 ms`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const steps: readonly [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ];
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const first = steps.findIndex(([, size]) => ms >= size);
  const [unit, size] = steps[first]!;
  const count = Math.floor(ms / size);
  const next = steps[first + 1];
  const rest = next ? Math.floor((ms - count * size) / next[1]) : 0;
  return next && rest > 0 ? `${count} ${unit} ${rest} ${next[0]}` : `${count} ${unit}`;
}

/** An instant with its date in a zone, and in the reader's zone where that is another: `Mon, 7 Dec 2026, 09:00 Europe/Berlin (08:00 UTC)`. */
export function timeInZones(at: string, zone: string, own = readersZone()): string {
  const [theirs, mine] = [partsIn(zone, at), partsIn(own, at)];
  const text = `${theirs.day}, ${theirs.time} ${zone}`;
  if (zone === own) return text;
  return `${text} (${theirs.day === mine.day ? '' : `${mine.day}, `}${mine.time} ${own})`;
}

/** The day and the time of an instant, with seconds only if there are any. */
function partsIn(timeZone: string, at: string): { day: string; time: string } {
  const instant = new Date(at);
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(instant.getUTCSeconds() > 0 && { second: '2-digit' }),
  });
  return { day: day.format(instant), time: time.format(instant) };
}
