import { boundedCache } from '../../base/json/bounded-cache.js';
import { escapePointer } from '../../base/json/pointer.js';
import { type JsonObject, own } from '../../base/json/value.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import { formatInstant, parseInstant } from '../../base/time/instant.js';
import { type Cadence, type Every, type Iso, wholeSecond } from '../cadence/cadence.js';
import { isOccurrence, step } from '../cadence/occurrences.js';
import { type CadenceReading, fault, readCron, readInstant, readInterval } from '../cadence/read-cadence-fields.js';
import type { OccurrenceAccount } from '../occurrence-counts.js';

/** More than a Schedule remembers of its latest runs, which is ten. */
const keptRuns = 20;

/**
 * The times of a binding: every `interval` from `startAt` on; at `startAt`, then every `interval` from `anchor` on; or by `cron`, but not before
 * `startAt`. A type, as below.
 */
export type BindingTimes = {
  /** RFC 3339. */
  startAt: string;
  /** ISO-8601; missing if there is a cron. */
  interval?: string;
  /** RFC 3339; the instant that the interval is counted from, if not `startAt`. */
  anchor?: string;
  /** Five fields; missing if there is an interval. */
  cron?: string;
  /** The IANA zone whose clock counts for `cron`. */
  timezone?: string;
};

/** The request of a schedule task, with all expressions evaluated. A type, so that it counts as plain JSON. */
export type BindingRequest = BindingTimes & {
  journeyName: string;
  journeyVersion: string;
  startStateId: string;
  subjectId: string | null;
  maxRuns: number;
  onExisting: 'fail' | 'upsert' | 'addAnother';
  /** The run, state and visit of the request; the same creator never creates two. */
  creator: string;
  /** The context of the first run. */
  context: JsonObject;
};

/** The answer to a schedule task. A type, so that it counts as plain JSON. */
export type CreatedBinding = {
  scheduleId: string;
  /** Set if an operator had paused the existing binding: it stays paused, with their note. */
  paused?: { note: string };
  /** The request, for a repair, if the history of the run does not contain it otherwise. */
  request?: BindingRequest;
};

/** The request of a task that stops schedules, with all expressions evaluated. A type, so that it counts as plain JSON. */
export type StopRequest = Pick<BindingRequest, 'journeyName' | 'journeyVersion' | 'startStateId' | 'subjectId'> & {
  /** The run, state and visit that make the request: a repeated one counts the same schedules. */
  by: string;
};

/**
 * A schedule of a journey's own runs. It is stored in the memo of its Schedule's action, and so in the memo of every run, beside the evolving
 * context.
 */
export type BindingRecord = Omit<BindingRequest, 'context' | 'onExisting'> & {
  scheduleId: string;
  /** The caller that it belongs to, if that is part of its identity; bindings of operators have none. */
  owner?: string;
  runsExecuted: number;
  /** Raised by every upsert. */
  generation: number;
  createdAt: string;
  updatedAt: string;
  /** Keys of the latest changes, newest first: a change is applied once, however often it is tried. */
  changes: string[];
  /** First run ids of the latest runs that are counted or belong to an earlier generation, newest first. */
  accounted: string[];
  /** The server's count of skipped starts when `occurrences` was written. */
  overlapSkipped: number;
  /** The last admitted run; while it is active, no other is admitted. Its Schedule might not follow it. */
  holder?: RunName;
  /** The version of the interpreter that its runs are started with. */
  interpreter: number;
  /** RFC 3339; irregular start times are listed in the Schedule up to this time. */
  writtenUntil?: string;
  /** The result of the last run: SUCCEEDED, or the code of its error. */
  lastResult?: string;
  /** The latest changes, newest first. */
  log?: LogEntry[];
  /** The run, state and visit that stopped it: nothing runs any more, whatever is left of `maxRuns`. */
  stopped?: string;
  /** Whether the first run started outside the grid, because its time had passed. */
  atOnce: boolean;
  occurrences: OccurrenceAccount;
  /** RFC 3339; the time at which `occurrences` starts. */
  accountFrom: string;
  /** Its migration to another version, pending or complete. */
  migration?: Migration;
  /** The binding that it replaced, and the key of the migration. */
  migratedFrom?: { scheduleId: string; key: string };
};

/** The migration of a binding to another version. A type, so that it counts as plain JSON. */
export type Migration = {
  /** The new binding. */
  scheduleId: string;
  version: string;
  /** Identifies the migration when it is repeated. */
  key: string;
  /** RFC 3339; the time at which it was paused. */
  at: string;
  /** While the migration is pending: the state of the binding before it. */
  before?: { paused: boolean; note: string };
};

/** A logged change. A type, so that it counts as plain JSON. */
export type LogEntry = { at: string; by: string; what: string };

const keptEntries = 10;
const longestEntry = 300;

/** Adds an entry to the log of a record. The log is in the memo of every run, so it must stay small. */
export function logged(record: BindingRecord, by: string, what: string, now: number): BindingRecord {
  const entry = { at: new Date(now).toISOString(), by: by.slice(0, longestEntry), what: what.slice(0, longestEntry) };
  return { ...record, log: [entry, ...(record.log ?? [])].slice(0, keptEntries) };
}

/** A run by its workflow id and the first run id of its chain. A type, so that it counts as plain JSON. */
export type RunName = { id: string; run: string };

/** A scheduled run that requests admission. */
export interface AdmissionRequest extends RunName {
  scheduleId: string;
  /** From the record it was started with: another creator means that the binding was replaced, or deleted and created again. */
  creator: string;
  /** The end of the account when it was started: a run that has ended since has advanced it, and the context. */
  through: string;
  /** The nominal time of the run. */
  nominal: number;
}

/** Whether a run is admitted. `coalesced`: clocks went back, and its time has had its run. */
export type Admission = boolean | 'coalesced';

/** A scheduled run that has ended, or is about to. */
export interface FinishedRun {
  scheduleId: string;
  /** From the record it started with, as above. */
  creator: string;
  /** The first run id of the chain, so that a run is counted once however often it continued as new. */
  run: string;
  nominal: number;
  startedAt: number;
  /** Whether the next run starts from the context in this run's memo, or from the one this run started from. */
  handsOn: boolean;
  /** Its result: SUCCEEDED, or the code of its error. */
  result: string;
  /** Its workflow id, which contains its nominal time. */
  id: string;
}

/** A run outside the cadence, before it is started: the nominal time that identifies it, and the Schedule's count of skipped starts. */
export interface BeforeRun {
  nominal: number;
  overlapSkipped: number;
}

const crons = boundedCache<CadenceReading>(200);

/** The cadence of a binding: elapsed time, or months on the UTC calendar, counted from `anchor` or `startAt`; or a cron that begins there. */
export function bindingCadence(times: BindingTimes): Cadence {
  const { cadence, findings } = readTimes(times);
  if (!cadence) throw new RangeError(findings[0]?.message);
  return cadence;
}

/** Reads the cadence of a binding from texts that may be invalid. */
export function readTimes({ interval = '', anchor, cron, timezone = '', startAt }: BindingTimes): CadenceReading {
  const from = parseInstant(startAt)!;
  if (cron === undefined) {
    const grid = readInterval(interval, anchor === undefined ? from : parseInstant(anchor)!);
    return grid.cadence && anchor !== undefined ? withFirst(grid.cadence as Every | Iso, wholeSecond(from)) : grid;
  }
  const { cadence, findings } = crons(`${timezone} ${cron}`, () => readCron(cron, timezone));
  return cadence ? { cadence: { ...cadence, from } as Cadence, findings: [] } : { findings };
}

/** Adds a first run before the grid. Temporal's grids cannot start later than their first run, so no slot of the grid may lie in between. */
function withFirst(grid: Every | Iso, first: number): CadenceReading {
  const before = grid.kind === 'every' ? grid.anchor - grid.millis : step(grid, -1);
  if (before <= first) return { cadence: { ...grid, first }, findings: [] };
  const message = 'The anchor lies more than one interval after the first run';
  return {
    findings: [
      fault('/anchor', 'SCHEDULE_INVALID', message, 'Give the first time after the first run, or an earlier one.'),
    ],
  };
}

/** Whether two bindings run at the same times. */
export function hasTimesOf(one: BindingTimes, other: BindingTimes): boolean {
  const parts = ({ startAt, interval, anchor, cron, timezone }: BindingTimes) => [
    startAt,
    interval,
    anchor,
    cron,
    timezone,
  ];
  return parts(one).every((part, i) => part === parts(other)[i]);
}

/** Marks runs as counted. */
export function accountedFor(record: BindingRecord, runs: readonly string[]): BindingRecord {
  const others = record.accounted.filter((run) => !runs.includes(run));
  return { ...record, accounted: [...runs, ...others].slice(0, keptRuns) };
}

/**
 * Whether an occurrence was counted without a run, so that a run started for it later recovers it. A first run that starts at once may be on
 * the grid too, but before the account.
 */
export function wasCountedWithoutRun(
  record: BindingTimes & Pick<BindingRecord, 'occurrences' | 'accountFrom'>,
  nominal: number,
): boolean {
  const { occurrences, accountFrom } = record;
  const isAccounted = nominal > Date.parse(accountFrom) && nominal <= Date.parse(occurrences.through);
  return isAccounted && isOccurrence(bindingCadence(record), nominal);
}

/** The fields that decide whether a binding is over. */
type Bound = Pick<BindingRecord, 'runsExecuted' | 'maxRuns' | 'migration' | 'stopped'>;

/** Whether nothing will run any more: it has had all its runs, was stopped, or was migrated. */
export function isExhausted(record: Bound): boolean {
  return record.runsExecuted >= record.maxRuns || record.stopped !== undefined || isMigrated(record);
}

/** Whether a binding of another version has replaced it. */
export function isMigrated({ migration }: Pick<BindingRecord, 'migration'>): boolean {
  return migration !== undefined && !migration.before;
}

/** Whether no run may start: it is exhausted, or is being migrated. */
export function isClosed(record: Bound): boolean {
  return isExhausted(record) || record.migration !== undefined;
}

/** A change of a binding's times or bound. */
export interface BindingPatch extends Partial<BindingTimes> {
  maxRuns?: number;
}

const known = ['startAt', 'interval', 'anchor', 'cron', 'timezone', 'maxRuns'];

/** Reads a change; refuses with SCHEDULE_INVALID and every finding. */
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
  for (const name of ['startAt', 'anchor'] as const) {
    const given = text(name, 'Give an RFC 3339 timestamp.');
    if (given === undefined) continue;
    const read = readInstant(given, `/${name}`);
    findings.push(...read.findings);
    if (read.instant !== undefined) patch[name] = formatInstant(read.instant);
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
  for (const name of ['interval', 'anchor'])
    if (own(body, name) !== undefined && (cron ?? timezone) !== undefined)
      invalid(name, `"${name}" cannot be combined with a cron or its zone`, 'Give one or the other.');
  const maxRuns = own(body, 'maxRuns');
  if (typeof maxRuns === 'number' && Number.isSafeInteger(maxRuns) && maxRuns >= 1) patch.maxRuns = maxRuns;
  else if (maxRuns !== undefined)
    invalid('maxRuns', '"maxRuns" must be a whole number, at least 1', 'Delete it to end it.');
  if (findings.length === 0 && Object.keys(patch).length === 0)
    findings.push(fault('', 'SCHEDULE_INVALID', 'The change is empty', `Give ${known.join(', ')} or several.`));
  if (findings.length > 0) refuseAll(findings);
  return patch;
}

/** Changes the times of a binding: an interval replaces a cron, and the other way round. Refuses half a cron. */
export function withTimes(
  { interval, anchor, cron, timezone, ...rest }: BindingRecord,
  patch: BindingPatch,
): BindingRecord {
  const startAt = patch.startAt ?? rest.startAt;
  if (patch.interval !== undefined || (patch.cron ?? cron) === undefined) {
    if (patch.timezone !== undefined)
      refuseAll([fault('/timezone', 'SCHEDULE_INVALID', 'The schedule has no cron that a zone could count for', both)]);
    const grid = patch.anchor ?? anchor;
    const next = { startAt, interval: patch.interval ?? interval!, ...(grid !== undefined && { anchor: grid }) };
    const { findings } = readTimes(next);
    if (findings.length > 0) refuseAll(findings);
    return { ...rest, ...next };
  }
  if (patch.anchor !== undefined)
    refuseAll([
      fault('/anchor', 'SCHEDULE_INVALID', 'The schedule has a cron, which has no anchor', 'Give an interval.'),
    ]);
  const zone = patch.timezone ?? timezone;
  if (zone === undefined) refuseAll([fault('/timezone', 'CADENCE_ZONE_MISSING', 'The time zone is missing', both)]);
  return { ...rest, startAt, cron: patch.cron ?? cron!, timezone: zone! };
}

const both = 'Give cron and timezone together.';

function refuseAll(findings: Finding[]): never {
  return refuse('SCHEDULE_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
}
