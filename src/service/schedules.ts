import type { TerminationKind } from '../engine/outcome.js';
import type { Json, JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { LibraryEntry } from './library.js';

/**
 * What the gateway and the CLI need from the place where schedules live. `src/temporal/schedules/manage.ts` is the one implementation;
 * every method throws a ProblemError (SCHEDULE_UNKNOWN, SCHEDULE_EXHAUSTED, RUN_ACTIVE, …) when it cannot do what it says.
 */
export interface Schedules {
  /** One page, without contexts. */
  list(query: ListSchedules): Promise<{ items: ScheduleSummary[]; nextPageToken?: string }>;
  show(id: string): Promise<ScheduleView>;
  /** One page of its runs, newest first. */
  runs(id: string, page: Page): Promise<{ items: ScheduledRun[]; nextPageToken?: string }>;
  /** `changed: false` when it was already paused; `resume` likewise. `by` is who wants it, for the log. */
  pause(id: string, reason: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  resume(id: string, reason: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  /** Makes it do what it says again after something else changed it; SCHEDULE_BROKEN when nothing is left to do that from. */
  repair(id: string, by: string): Promise<ScheduleView & { changed: boolean }>;
  /** Starts one run now; the same request id is the same run. */
  runNow(id: string, requestId: string): Promise<{ executionId: string }>;
  /** Changes `startAt`, `interval`, or `cron` and `timezone`, or `maxRuns`; SCHEDULE_INVALID with every finding when the patch cannot be used. */
  update(id: string, patch: JsonObject, by: string): Promise<ScheduleView>;
  delete(id: string): Promise<void>;
  /**
   * Puts one of another version of its journey in its place, with its context, count and pause; answers with that one. Repeating it ends a
   * move that was cut short; `changed: false` when it had ended before. SCHEDULE_ALREADY_EXISTS, RUN_ACTIVE, MOVE_NOT_POSSIBLE.
   */
  move(id: string, to: LibraryEntry, by: string): Promise<ScheduleView & { changed: boolean }>;
}

const longestReason = 500;

/** The reason that anyone who pauses or resumes a schedule has to give; refuses with SCHEDULE_INVALID. */
export function readReason(reason: Json): string {
  if (typeof reason === 'string' && reason.length <= longestReason) return reason;
  return refuse('SCHEDULE_INVALID', `The reason must be a text of at most ${longestReason} characters.`, {
    pointer: '/reason',
  });
}

/** `moved`: one of another version has taken its place. `broken`: something other than us rewrote its action, and what we kept in it is gone. */
export type ScheduleState = 'active' | 'paused' | 'exhausted' | 'moved' | 'broken';
export const scheduleStates: readonly ScheduleState[] = ['active', 'paused', 'exhausted', 'moved', 'broken'];

export interface Page {
  pageSize: number;
  pageToken?: string;
}

export interface ListSchedules extends Page {
  journeyName?: string;
  subjectId?: string;
  state?: ScheduleState;
}

/** A schedule as a list shows it. */
export interface ScheduleSummary {
  scheduleId: string;
  kind: 'binding';
  journeyName: string;
  journeyVersion: string;
  startStateId: string;
  subjectId: string | null;
  state: ScheduleState;
  /** Null when it will not start by itself. */
  nextRunAt: string | null;
  lastRunAt: string | null;
  /** How the last run ended: SUCCEEDED, or the code of its error; null before the first. */
  lastResult: string | null;
  /** Null if an earlier version made it and nothing has changed it since. */
  runsExecuted: number | null;
  maxRuns: number | null;
  /** The cadence in words. */
  cadence: string | null;
  note: string;
}

/** A schedule as a whole. */
export interface ScheduleView extends ScheduleSummary {
  startAt: string;
  /** ISO-8601; null where a cron and its zone say when it runs. */
  interval: string | null;
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
  /** What became of every time it was due. */
  occurrences: { through: string; ran: number; missed: number; overlapped: number };
  lastContext: JsonObject;
  /** The schedule that has taken its place, or takes it now. */
  movedTo: { scheduleId: string; version: string } | null;
  /** The schedule whose place it took. */
  movedFrom: string | null;
  /** How Temporal will deviate, because something other than us changed it; empty when it will not. */
  drift: string[];
  /** Who changed what and when, newest first. */
  log: { at: string; by: string; what: string }[];
}

/** A run that a schedule started. */
export interface ScheduledRun {
  /** Every route for journeys accepts it. */
  journeyId: string;
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** How it ended, in the words of the language; Terminated: from outside. Null while it runs. */
  terminationKind: TerminationKind | 'Terminated' | null;
  error?: { code: string; reason: string };
  /** Set when there was nothing left for it to run. */
  skipped?: true;
  scheduledAt: string;
  startedAt: string;
  endedAt: string | null;
}
