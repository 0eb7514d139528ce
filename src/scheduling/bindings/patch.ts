import { escapePointer } from '../../json/pointer.js';
import { type JsonObject, own } from '../../json/value.js';
import { type Finding, refuse } from '../../problems/problem.js';
import { formatInstant } from '../../time/duration.js';
import { fault, readCron, readInstant, readInterval } from '../cadence/read.js';
import type { BindingRecord, BindingTimes } from './record.js';

/** What can be changed in an existing binding: when it runs, and how often in all. */
export interface BindingPatch extends Partial<BindingTimes> {
  maxRuns?: number;
}

const known = ['startAt', 'interval', 'cron', 'timezone', 'maxRuns'];

/** Reads a change from outside; refuses with SCHEDULE_INVALID and every finding. */
export function readPatch(body: JsonObject, minIntervalSec: number): BindingPatch {
  const findings: Finding[] = [];
  const patch: BindingPatch = {};
  const bounds = { shortest: minIntervalSec * 1000 };
  const invalid = (key: string, message: string, hint: string) =>
    findings.push(fault(`/${escapePointer(key)}`, 'SCHEDULE_INVALID', message, hint));
  for (const key of Object.keys(body).map((it) => it.slice(0, 80)))
    if (!known.includes(key)) invalid(key, `"${key}" cannot be changed`, `Use ${known.join(', ')}.`);
  /** The text of a field, if it is there and is one. */
  const text = (key: string, hint: string): string | undefined => {
    const given = own(body, key);
    if (given !== undefined && typeof given !== 'string') invalid(key, `"${key}" is not a text`, hint);
    return typeof given === 'string' ? given : undefined;
  };
  const startAt = text('startAt', 'Give an RFC 3339 timestamp.');
  if (startAt !== undefined) {
    const read = readInstant(startAt, '/startAt');
    findings.push(...read.findings);
    if (read.instant !== undefined) patch.startAt = formatInstant(read.instant);
  }
  const interval = own(body, 'interval');
  if (typeof interval === 'string' && interval.startsWith('P')) {
    findings.push(...readInterval(interval, 0, { pointer: '/interval', bounds }).findings);
    patch.interval = interval;
  } else if (interval !== undefined) {
    invalid('interval', '"interval" is not an ISO-8601 duration', 'Give one like P1D or P1M.');
  }
  const cron = text('cron', 'Give five fields, like 30 2 * * *.');
  if (cron !== undefined) {
    findings.push(...readCron(cron, 'UTC', { pointer: '/cron', bounds }).findings);
    patch.cron = cron;
  }
  const timezone = text('timezone', 'Name an IANA zone, like Europe/Rome.');
  if (timezone !== undefined) {
    findings.push(...readCron('0 0 * * *', timezone, { zonePointer: '/timezone' }).findings);
    patch.timezone = timezone;
  }
  if (interval !== undefined && (cron ?? timezone) !== undefined)
    invalid('interval', '"interval" stands beside a cron or its zone', 'Give one or the other.');
  const maxRuns = own(body, 'maxRuns');
  if (typeof maxRuns === 'number' && Number.isSafeInteger(maxRuns) && maxRuns >= 1) patch.maxRuns = maxRuns;
  else if (maxRuns !== undefined)
    invalid('maxRuns', '"maxRuns" must be a whole number, at least 1', 'Delete it to end it.');
  if (findings.length === 0 && Object.keys(patch).length === 0)
    findings.push(fault('', 'SCHEDULE_INVALID', 'Nothing is to be changed', `Give ${known.join(', ')} or several.`));
  if (findings.length > 0) refuseAll(findings);
  return patch;
}

/** A binding with other times: an interval takes the place of a cron, and the other way round. Refuses half a cron. */
export function withTimes({ interval, cron, timezone, ...rest }: BindingRecord, patch: BindingPatch): BindingRecord {
  const startAt = patch.startAt ?? rest.startAt;
  if (patch.interval !== undefined || (patch.cron ?? cron) === undefined) {
    if (patch.timezone !== undefined)
      refuseAll([fault('/timezone', 'SCHEDULE_INVALID', 'The schedule has no cron that a zone could count for', both)]);
    return { ...rest, startAt, interval: patch.interval ?? interval! };
  }
  const zone = patch.timezone ?? timezone;
  if (zone === undefined) refuseAll([fault('/timezone', 'CADENCE_ZONE_MISSING', 'The time zone is missing', both)]);
  return { ...rest, startAt, cron: patch.cron ?? cron!, timezone: zone! };
}

const both = 'Give cron and timezone together.';

function refuseAll(findings: Finding[]): never {
  return refuse('SCHEDULE_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
}
