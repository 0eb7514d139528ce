import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import { type Cadence, second } from './cadence.js';
import type { Bounds } from './interval-bounds.js';
import { type CadenceReading, fault, readCron, readInstant, readInterval, readOnce } from './read-cadence-fields.js';

/** The circumstances of reading a cadence. */
export interface WireOptions {
  /** The anchor of an interval that names none; a `once` must lie after it. */
  now: number;
  pointer?: string;
  bounds?: Bounds;
  /** A cadence that was accepted before may have passed since. */
  allowPast?: boolean;
}

const forms: Record<string, { required: string[]; optional: string[] }> = {
  once: { required: ['runAt'], optional: [] },
  interval: { required: [], optional: ['everySeconds', 'every', 'anchorAt'] },
  cron: { required: ['expression', 'timezone'], optional: [] },
};

/**
 * Reads a cadence in its wire format:
 * `{type: once, runAt}`, `{type: interval, everySeconds | every, anchorAt?}` or `{type: cron, expression, timezone}`.
 */
export function readCadence(value: Json | undefined, options: WireOptions): CadenceReading {
  const { pointer = '' } = options;
  const findings: Finding[] = [];
  const complain = (...[at, ...rest]: Parameters<typeof fault>) => findings.push(fault(`${pointer}${at}`, ...rest));
  if (!isObject(value)) {
    complain('', 'CADENCE_NOT_AN_OBJECT', 'The cadence is not an object', 'Write an object with a "type".');
    return { findings };
  }
  const type = own(value, 'type');
  const form = typeof type === 'string' && Object.hasOwn(forms, type) ? forms[type] : undefined;
  if (!form) {
    const message = type === undefined ? 'The type is missing' : `${JSON.stringify(type)} is not a type of cadence`;
    complain('/type', 'CADENCE_TYPE_UNKNOWN', message, 'Use once, interval or cron.');
    return { findings };
  }
  checkFields(value, type as string, form, complain);
  if (findings.length > 0) return { findings };
  return readForm(value, options);
}

type Complain = (...finding: Parameters<typeof fault>) => void;

function checkFields(
  value: JsonObject,
  type: string,
  { required, optional }: { required: string[]; optional: string[] },
  complain: Complain,
): void {
  for (const key of Object.keys(value)) {
    const at = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (key === 'type') continue;
    if (![...required, ...optional].includes(key))
      complain(
        at,
        'CADENCE_FIELD_UNKNOWN',
        `"${key}" is not a field of type ${type}`,
        `Use ${[...required, ...optional].join(', ')}.`,
      );
    else if (typeof value[key] !== (key === 'everySeconds' ? 'number' : 'string'))
      complain(
        at,
        'CADENCE_FIELD_TYPE',
        `"${key}" has the wrong type`,
        key === 'everySeconds' ? 'Write a number.' : 'Write a text.',
      );
  }
  for (const key of required)
    if (!Object.hasOwn(value, key)) {
      const code = key === 'timezone' ? 'CADENCE_ZONE_MISSING' : 'CADENCE_FIELD_MISSING';
      complain(`/${key}`, code, `"${key}" is missing`, hints[key]!);
    }
  if (type === 'interval' && Object.hasOwn(value, 'everySeconds') === Object.hasOwn(value, 'every'))
    complain(
      '/every',
      'CADENCE_FIELD_MISSING',
      'An interval needs exactly one of "everySeconds" and "every"',
      hints.every!,
    );
}

const hints: Record<string, string> = {
  runAt: 'Give the time to run at, for example 2027-01-31T09:00:00Z.',
  expression: 'Give five fields: minute hour day-of-month month day-of-week.',
  timezone: 'Name the zone whose clock counts, for example Europe/Berlin or UTC.',
  every: 'Give a number of seconds, or a duration such as PT15M or P1M.',
};

function readForm(value: JsonObject, { now, pointer = '', bounds, allowPast }: WireOptions): CadenceReading {
  const more = bounds === undefined ? {} : { bounds };
  if (value.type === 'once')
    return readOnce(value.runAt as string, allowPast ? undefined : now, { pointer: `${pointer}/runAt` });
  if (value.type === 'cron')
    return readCron(value.expression as string, value.timezone as string, {
      pointer: `${pointer}/expression`,
      zonePointer: `${pointer}/timezone`,
      ...more,
    });
  const anchorAt = value.anchorAt as string | undefined;
  const anchor = anchorAt === undefined ? { instant: now, findings: [] } : readInstant(anchorAt, `${pointer}/anchorAt`);
  const key = Object.hasOwn(value, 'everySeconds') ? 'everySeconds' : 'every';
  const reading = readInterval(value[key] as string | number, anchor.instant ?? now, {
    pointer: `${pointer}/${key}`,
    ...more,
  });
  if (anchor.instant !== undefined) return reading;
  return { findings: [...anchor.findings, ...reading.findings] };
}

/** A cadence in its wire format, the inverse of `readCadence`. */
export function cadenceJson(cadence: Cadence): JsonObject {
  switch (cadence.kind) {
    case 'once':
      return { type: 'once', runAt: formatInstant(cadence.at) };
    case 'every':
      return { type: 'interval', everySeconds: cadence.millis / second, anchorAt: formatInstant(cadence.anchor) };
    case 'iso':
      return { type: 'interval', every: cadence.text, anchorAt: formatInstant(cadence.anchor) };
    case 'cron':
      return { type: 'cron', expression: cadence.expression, timezone: cadence.zone };
  }
}
