import type { JsonObject } from '../../base/json/value.js';

/** A schedule of a subject in a list. */
export interface ScheduleItem {
  readonly scheduleId: string;
  readonly journeyName: string;
  readonly journeyVersion: string;
  readonly subjectId: string | null;
  readonly state: string;
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastResult: string | null;
  readonly runsExecuted: number | null;
  readonly maxRuns: number | null;
  readonly cadence: string | null;
  readonly note: string;
}

/** One schedule. */
export interface ScheduleDetails extends ScheduleItem {
  readonly interval: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  /** The instant from which the interval is counted; null: `startAt`. */
  readonly anchor: string | null;
  readonly startAt: string;
  readonly nextRuns: readonly string[];
  readonly occurrences: Occurrences;
  readonly recentRuns: readonly ScheduledRunItem[];
  readonly lastContext: JsonObject;
  readonly drift: readonly string[];
  readonly log: readonly { readonly at: string; readonly by: string; readonly what: string }[];
}

/** Counts of the times at which something was due. */
export interface Occurrences {
  readonly ran: number;
  readonly missed: number;
  readonly overlapped: number;
  readonly coalesced?: number;
}

/** A run of a schedule. */
export interface ScheduledRunItem {
  readonly journeyId: string;
  readonly phase: string;
  readonly scheduledAt: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error?: { readonly code: string; readonly reason: string };
  readonly skipped?: boolean;
}

/** The next runs of a cadence. */
export interface CadencePreview {
  readonly cadence: string;
  readonly schedule: JsonObject;
  readonly runs: readonly PlannedTime[];
}

/** A time at which something will run. */
export interface PlannedTime {
  readonly instant: string;
  /** The effect of a clock change. */
  readonly note?: string;
}
