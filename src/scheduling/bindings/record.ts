import { memo } from '../../json/memo.js';
import type { JsonObject } from '../../json/value.js';
import { parseInstant } from '../../time/duration.js';
import type { Cadence } from '../cadence/cadence.js';
import { type Reading, readCron, readInterval } from '../cadence/read.js';
import { isOn, type Occurrences } from './occurrences.js';

/** More than a Schedule remembers of its latest runs, which is ten. */
const keptRuns = 20;

/** When a binding runs: every `interval` from `startAt` on, or whenever `cron` says so, but not before `startAt`. A type, as below. */
export type BindingTimes = {
  /** RFC 3339. */
  startAt: string;
  /** ISO-8601; missing where there is a cron. */
  interval?: string;
  /** Five fields; missing where there is an interval, and so in every record of a version before it. */
  cron?: string;
  /** The IANA zone whose clock counts for `cron`. */
  timezone?: string;
};

/** What a schedule task asks for, once everything in it is evaluated. A type, so that it counts as plain JSON. */
export type BindingRequest = BindingTimes & {
  journeyName: string;
  journeyVersion: string;
  startStateId: string;
  subjectId: string | null;
  maxRuns: number;
  onExisting: 'fail' | 'upsert' | 'addAnother';
  /** The run, state and visit that ask: the same creator never makes two. */
  creator: string;
  /** What the first run starts from. */
  context: JsonObject;
};

/** The answer to a schedule task. A type, so that it counts as plain JSON. */
export type MadeBinding = {
  scheduleId: string;
  /** Set when somebody had paused the existing one: it stays paused, and this is what they said. */
  paused?: { note: string };
  /** What was asked for, where the history of the run would not show it otherwise: a repair may need it. */
  request?: BindingRequest;
};

/**
 * A schedule of a journey's own runs, as it stands in the memo of its Schedule's action and so in the memo of every run it starts.
 * The evolving context stands beside it.
 */
export type BindingRecord = Omit<BindingRequest, 'context' | 'onExisting'> & {
  scheduleId: string;
  runsExecuted: number;
  /** Raised by every upsert. */
  generation: number;
  createdAt: string;
  updatedAt: string;
  /** Keys of the latest changes, newest first: a change is applied once, however often it is tried. */
  changes: string[];
  /** First run ids of the latest runs that need no more counting, newest first: already counted, or of an earlier generation. */
  accounted: string[];
  /** What the server had skipped, by its own count, when `occurrences` was written. */
  overlapSkipped: number;
  /** The last run that asked and was let in; while it is active, no other may be. Its Schedule might not follow it. */
  holder?: RunName;
  /** The version of the interpreter that its runs are started with; missing where an earlier version wrote it. */
  interpreter?: number;
  /** RFC 3339; where times were written out one by one for its Schedule, they end here. Earlier versions did not write it. */
  writtenUntil?: string;
  /** How the last run ended: its phase, or the code of its error. */
  lastResult?: string;
  /** Who changed what and when, newest first; the latest only. */
  log?: LogEntry[];
  /** The first run starts outside the grid, because its time had come already. */
  atOnce: boolean;
  occurrences: Occurrences;
  /** RFC 3339; up to here `occurrences` lacks no run. Earlier versions did not write it: there it begins with `createdAt`. */
  accountFrom?: string;
  /** It gives way to the binding of another version, or has done so. */
  move?: Move;
  /** The binding whose place it took, and the move that made it. */
  movedFrom?: { scheduleId: string; key: string };
};

/** How a binding gives way to one of another version. A type, so that it counts as plain JSON. */
export type Move = {
  /** The binding that takes its place. */
  scheduleId: string;
  version: string;
  /** Names the move: whoever repeats it knows by it what it has made. */
  key: string;
  /** RFC 3339; when it was paused for it. */
  at: string;
  /** While the move is under way: how the binding was before. */
  before?: { paused: boolean; note: string };
};

/** A change that somebody made. A type, so that it counts as plain JSON. */
export type LogEntry = { at: string; by: string; what: string };

const keptEntries = 10;
const longestEntry = 300;

/** A record whose log says what somebody did. It travels in the memo of every run, so it must stay small. */
export function logged(record: BindingRecord, by: string, what: string, now: number): BindingRecord {
  const entry = { at: new Date(now).toISOString(), by: by.slice(0, longestEntry), what: what.slice(0, longestEntry) };
  return { ...record, log: [entry, ...(record.log ?? [])].slice(0, keptEntries) };
}

/** A run by its workflow id and the first run id of its chain. A type, so that it counts as plain JSON. */
export type RunName = { id: string; run: string };

/** A scheduled run that asks whether it may do anything. */
export interface AskingRun extends RunName {
  scheduleId: string;
  /** From the record it was started with: another there means that the binding was replaced, or deleted and made again. */
  creator: string;
  /** How far occurrences were accounted for when it was started: a run that has ended since moved this on, and the context. */
  through: string;
  /** The time it was started for; runs of earlier versions do not say. */
  nominal?: number;
}

/** Whether a run that asked may do anything. `coalesced`: clocks went back, and its time has had its run. */
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
  /** How it ended: SUCCEEDED, or the code of its error. */
  result?: string;
  /** Its workflow id, which tells what time it was started for. */
  id?: string;
}

/** What a Schedule had done before it was asked for a run, and the time that identifies that run. */
export interface BeforeRun {
  nominal: number;
  overlapSkipped: number;
}

const crons = memo<Reading>(200);

/** The cadence of a binding: elapsed time, or months on the UTC calendar, counted from `startAt`; or a cron that begins there. */
export function cadenceOf(times: BindingTimes): Cadence {
  const { cadence, findings } = readTimes(times);
  if (!cadence) throw new RangeError(findings[0]?.message);
  return cadence;
}

/** The same, for texts that may be damaged. */
export function readTimes({ interval = '', cron, timezone = '', startAt }: BindingTimes): Reading {
  const from = parseInstant(startAt)!;
  if (cron === undefined) return readInterval(interval, from);
  const { cadence, findings } = crons(`${timezone} ${cron}`, () => readCron(cron, timezone));
  return cadence ? { cadence: { ...cadence, from } as Cadence, findings: [] } : { findings };
}

/** Whether two bindings run at the same times. */
export function hasTimesOf(one: BindingTimes, other: BindingTimes): boolean {
  const parts = ({ startAt, interval, cron, timezone }: BindingTimes) => [startAt, interval, cron, timezone];
  return parts(one).every((part, i) => part === parts(other)[i]);
}

/** The record of a binding whose times were just written into its Schedule: one by one until then, or all of them. */
export function writtenOut(record: BindingRecord, completeUntil: number | undefined): BindingRecord {
  const { writtenUntil: _, ...rest } = record;
  return { ...rest, ...(completeUntil !== undefined && { writtenUntil: new Date(completeUntil).toISOString() }) };
}

/** The record with these runs added to those that need no more counting. */
export function accountedFor(record: BindingRecord, runs: readonly string[]): BindingRecord {
  const others = record.accounted.filter((run) => !runs.includes(run));
  return { ...record, accounted: [...runs, ...others].slice(0, keptRuns) };
}

/**
 * Whether a time was accounted for without a run, so that one that is started for it after all makes up for it. A first run that starts at once
 * may have a time of the grid too, but one from before the account.
 */
export function lackedRun(
  record: BindingTimes & Pick<BindingRecord, 'occurrences' | 'accountFrom' | 'createdAt'>,
  nominal: number,
): boolean {
  const { occurrences, accountFrom = record.createdAt } = record;
  const isAccounted = nominal > Date.parse(accountFrom) && nominal <= Date.parse(occurrences.through);
  return isAccounted && isOn(cadenceOf(record), nominal);
}

/** Nothing of it will run any more: it has had all its runs, or another has taken its place. */
export function isExhausted(record: Pick<BindingRecord, 'runsExecuted' | 'maxRuns' | 'move'>): boolean {
  return record.runsExecuted >= record.maxRuns || isMoved(record);
}

/** Another has taken its place. */
export function isMoved({ move }: Pick<BindingRecord, 'move'>): boolean {
  return move !== undefined && !move.before;
}

/** Nothing of it may start now: it is over, or gives way to another at this moment. */
export function isClosed(record: Pick<BindingRecord, 'runsExecuted' | 'maxRuns' | 'move'>): boolean {
  return isExhausted(record) || record.move !== undefined;
}
