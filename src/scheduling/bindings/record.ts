import type { JsonObject } from '../../json/value.js';
import { parseInstant } from '../../time/duration.js';
import type { Every, Iso } from '../cadence/cadence.js';
import { readInterval } from '../cadence/read.js';
import type { Occurrences } from './occurrences.js';

/** More than a Schedule remembers of its latest runs, which is ten. */
const keptRuns = 20;

/** What a schedule task asks for, once everything in it is evaluated. A type, so that it counts as plain JSON. */
export type BindingRequest = {
  journeyName: string;
  journeyVersion: string;
  startStateId: string;
  subjectId: string | null;
  /** RFC 3339; the grid of runs is counted from it. */
  startAt: string;
  /** ISO-8601. */
  interval: string;
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
  /** How the last run ended: its phase, or the code of its error. */
  lastResult?: string;
  /** Who changed what and when, newest first; the latest only. */
  log?: LogEntry[];
  /** The first run starts outside the grid, because its time had come already. */
  atOnce: boolean;
  occurrences: Occurrences;
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
}

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

/** The cadence of a binding: elapsed time, or months on the UTC calendar, counted from `startAt`. */
export function cadenceOf({ interval, startAt }: Pick<BindingRecord, 'interval' | 'startAt'>): Every | Iso {
  const { cadence } = readInterval(interval, parseInstant(startAt)!);
  return cadence as Every | Iso;
}

/** The record with these runs added to those that need no more counting. */
export function accountedFor(record: BindingRecord, runs: readonly string[]): BindingRecord {
  const others = record.accounted.filter((run) => !runs.includes(run));
  return { ...record, accounted: [...runs, ...others].slice(0, keptRuns) };
}

/** It has had all its runs. */
export function isExhausted({ runsExecuted, maxRuns }: Pick<BindingRecord, 'runsExecuted' | 'maxRuns'>): boolean {
  return runsExecuted >= maxRuns;
}
