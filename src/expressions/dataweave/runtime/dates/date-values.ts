import { T, TaggedValue } from '../values.js';
import { civilFromDays, nanosPerSecond } from './calendar-days.js';

/** A date or time. `format` is the pattern it was parsed with, which is also used for output. */
export abstract class Temporal extends TaggedValue {
  abstract readonly format: string | null;
  /** Locale given with the format. */
  locale: string | null = null;
  /** ISO 8601 text. */
  abstract iso(): string;
}

/** A date without a time. */
export class DateValue extends Temporal {
  readonly bits = T.Date;
  constructor(
    readonly day: number,
    readonly format: string | null = null,
  ) {
    super();
  }
  iso(): string {
    return isoDate(this.day);
  }
}

/** A time of day without an offset. */
export class LocalTimeValue extends Temporal {
  readonly bits = T.LocalTime;
  constructor(
    readonly nanos: number,
    readonly format: string | null = null,
  ) {
    super();
  }
  iso(): string {
    return isoTime(this.nanos);
  }
}

/** A time of day with an offset. */
export class TimeValue extends Temporal {
  readonly bits = T.Time;
  constructor(
    readonly nanos: number,
    readonly offset: number,
    readonly format: string | null = null,
  ) {
    super();
  }
  iso(): string {
    return isoTime(this.nanos) + isoOffset(this.offset);
  }
}

/** A date and time without an offset. */
export class LocalDateTimeValue extends Temporal {
  readonly bits = T.LocalDateTime;
  constructor(
    readonly day: number,
    readonly nanos: number,
    readonly format: string | null = null,
  ) {
    super();
  }
  iso(): string {
    return `${isoDate(this.day)}T${isoTime(this.nanos)}`;
  }
}

/** A local date and time with its offset, and its IANA zone, if any. */
export class DateTimeValue extends Temporal {
  readonly bits = T.DateTime;
  constructor(
    readonly day: number,
    readonly nanos: number,
    readonly offset: number,
    readonly zone: string | null = null,
    readonly format: string | null = null,
  ) {
    super();
  }
  iso(): string {
    return `${isoDate(this.day)}T${isoTime(this.nanos)}${isoOffset(this.offset)}`;
  }
  /** Seconds since the epoch, without the fraction. */
  get epochSecond(): number {
    return this.day * 86_400 + Math.floor(this.nanos / nanosPerSecond) - this.offset;
  }
}

/** A time zone: a fixed offset or an IANA zone. */
export class ZoneValue extends Temporal {
  readonly bits = T.TimeZone;
  readonly format = null;
  constructor(
    readonly id: string,
    /** Seconds east of UTC, or null for an IANA zone. */
    readonly offset: number | null,
  ) {
    super();
  }
  iso(): string {
    return this.offset === null || /^[GU]/.test(this.id) ? this.id : isoOffset(this.offset);
  }
}

/** A calendar period (years, months, days) or an exact duration (seconds, nanos), never both. */
export class PeriodValue extends Temporal {
  readonly bits = T.Period;
  readonly format = null;
  constructor(
    readonly years: number,
    readonly months: number,
    readonly days: number,
    /** Seconds of an exact duration; null in a calendar period. */
    readonly seconds: number | null = null,
    readonly nanos: number = 0,
  ) {
    super();
  }
  get exact(): boolean {
    return this.seconds !== null;
  }
  iso(): string {
    return this.seconds === null ? this.calendarText() : durationText(this.seconds, this.nanos);
  }
  private calendarText(): string {
    const text = `${part(this.years, 'Y')}${part(this.months, 'M')}${part(this.days, 'D')}`;
    return text ? `P${text}` : 'P0D';
  }
}

/** An exact duration. */
export function durationPeriod(seconds: number, nanos = 0): PeriodValue {
  const carry = Math.floor(nanos / nanosPerSecond);
  return new PeriodValue(0, 0, 0, seconds + carry, nanos - carry * nanosPerSecond);
}

function part(n: number, unit: string): string {
  return n === 0 ? '' : `${n}${unit}`;
}

function durationText(total: number, nanos: number): string {
  if (total === 0 && nanos === 0) return 'PT0S';
  const effective = total < 0 && nanos > 0 ? total + 1 : total;
  const hours = Math.trunc(effective / 3600);
  const minutes = Math.trunc((effective % 3600) / 60);
  const seconds = effective % 60;
  let text = `PT${part(hours, 'H')}${part(minutes, 'M')}`;
  if (seconds === 0 && nanos === 0) return text;
  if (total < 0 && nanos > 0) {
    text += seconds === 0 ? '-0' : String(seconds);
    return `${text}${fraction(nanosPerSecond - nanos)}S`;
  }
  return `${text}${seconds}${fraction(nanos)}S`;
}

function fraction(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

/** Pads a number with leading zeros. */
export function pad(n: number, width: number): string {
  const text = String(Math.abs(n)).padStart(width, '0');
  return n < 0 ? `-${text}` : text;
}

/** ISO 8601 text of a day. */
export function isoDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${year > 9999 ? '+' : ''}${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** ISO 8601 text of a time of day. */
export function isoTime(nanos: number): string {
  const seconds = Math.floor(nanos / nanosPerSecond);
  const rest = nanos - seconds * nanosPerSecond;
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}${fraction(rest)}`;
}

/** ISO 8601 text of an offset. */
export function isoOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const abs = Math.abs(offset);
  const seconds = abs % 60;
  const text = `${offset < 0 ? '-' : '+'}${pad(Math.floor(abs / 3600), 2)}:${pad(Math.floor(abs / 60) % 60, 2)}`;
  return seconds === 0 ? text : `${text}:${pad(seconds, 2)}`;
}
