import type { Json, JsonObject } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { TerminationKind } from '../engine/outcome.js';
import type { LibraryEntry } from './library-interface.js';

/**
 * Bindings, for the gateway and the CLI. `src/temporal/schedules/bindings/temporal-bindings.ts` is the one implementation; every method throws a
 * ProblemError (SCHEDULE_UNKNOWN, SCHEDULE_EXHAUSTED, RUN_ACTIVE, …) if it fails.
 */
export interface Schedules {
  /** One page, without contexts. */
  list(query: ListSchedules): Promise<{ items: ScheduleSummary[]; nextPageToken?: string }>;
  show(id: string): Promise<ScheduleView>;
  /** One page of its runs, newest first. */
  runs(id: string, page: Page): Promise<{ items: ScheduledRun[]; nextPageToken?: string }>;
  /** `changed: false` if it was already paused; `resume` likewise. `by` is the caller, for the log. */
  pause(id: string, reason: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  resume(id: string, reason: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  /** Undoes changes made outside Journeyman; SCHEDULE_BROKEN if its record cannot be restored. */
  repair(id: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  /** Starts one run now; idempotent by request id. */
  runNow(id: string, requestId: string): Promise<{ executionId: string }>;
  /** Changes `startAt`, `interval`, `anchor`, or `cron` and `timezone`, or `maxRuns`; SCHEDULE_INVALID with every finding if the patch is invalid. */
  update(id: string, patch: JsonObject, by: string): Promise<ScheduleView>;
  delete(id: string): Promise<void>;
  /**
   * Replaces the schedule with one for another version, keeping context, run count and pause. Returns the new schedule. A repetition completes
   * an interrupted migration; `changed: false` if it was already complete. SCHEDULE_ALREADY_EXISTS, RUN_ACTIVE, MIGRATION_NOT_POSSIBLE.
   */
  migrate(id: string, to: LibraryEntry, by: string): Promise<ScheduleView & { changed: boolean }>;
}

const longestReason = 500;

/** Reads the reason of a pause or resumption; throws SCHEDULE_INVALID. */
export function readReason(reason: Json): string {
  if (typeof reason === 'string' && reason.length <= longestReason) return reason;
  return refuse('SCHEDULE_INVALID', `The reason must be a text of at most ${longestReason} characters.`, {
    pointer: '/reason',
  });
}

/** `migrated`: a schedule of another version replaced it. `broken`: its action was rewritten outside Journeyman, and its record is lost. */
export type ScheduleState = 'active' | 'paused' | 'exhausted' | 'migrated' | 'broken';
export const scheduleStates: readonly ScheduleState[] = ['active', 'paused', 'exhausted', 'migrated', 'broken'];

export interface Page {
  pageSize: number;
  pageToken?: string;
}

export interface ListSchedules extends Page {
  journeyName?: string;
  subjectId?: string;
  state?: ScheduleState;
}

/** The list entry of a schedule. */
export interface ScheduleSummary {
  scheduleId: string;
  kind: 'binding';
  journeyName: string;
  journeyVersion: string;
  startStateId: string;
  subjectId: string | null;
  /** The caller that it belongs to, unless it is an operator's. */
  owner: string | null;
  state: ScheduleState;
  /** Null if no run will start by itself. */
  nextRunAt: string | null;
  lastRunAt: string | null;
  /** The result of the last run: SUCCEEDED, or the code of its error; null before the first. */
  lastResult: string | null;
  /** Null if its Schedule lost its tags. */
  runsExecuted: number | null;
  maxRuns: number | null;
  /** The cadence in plain English. */
  cadence: string | null;
  note: string;
  /** Differences between the Schedule in Temporal and its record; empty if there are none. A list shows those of start times only. */
  drift: string[];
}

/** The view of a schedule. */
export interface ScheduleView extends ScheduleSummary {
  startAt: string;
  /** ISO-8601; null if it has a cron expression. */
  interval: string | null;
  /** The instant that the interval is counted from; null if that is `startAt`. */
  anchor: string | null;
  cron: string | null;
  timezone: string | null;
  cadence: string;
  maxRuns: number;
  runsExecuted: number;
  generation: number;
  createdAt: string;
  updatedAt: string;
  nextRuns: string[];
  activeRuns: string[];
  recentRuns: ScheduledRun[];
  /** The account of its occurrences. */
  occurrences: { through: string; ran: number; missed: number; overlapped: number };
  lastContext: JsonObject;
  /** The schedule of another version that replaces it. */
  migratedTo: { scheduleId: string; version: string } | null;
  /** The schedule that it replaced. */
  migratedFrom: string | null;
  /** The latest changes, newest first. */
  log: { at: string; by: string; what: string }[];
}

/** A run started by a schedule. */
export interface ScheduledRun {
  /** The id of the run. */
  journeyId: string;
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** How it ended, by the language; Terminated: by an operator. Null while it is running. */
  terminationKind: TerminationKind | 'Terminated' | null;
  error?: { code: string; reason: string };
  /** Set if the run was skipped because there was nothing left to run. */
  skipped?: true;
  scheduledAt: string;
  startedAt: string;
  endedAt: string | null;
}
