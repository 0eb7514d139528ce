import { paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { PreviewedRun } from '../../schedules/preview-cadence-runs.js';
import type { BulkItem } from '../../service/operation/bulk-schedule-changes.js';
import type { ScheduledRun, ScheduleSummary, ScheduleView } from '../../service/schedules-interface.js';
import { table, withHead } from '../tables-progress-and-failures.js';

/** No colours. */
const plain = paint({ write: () => undefined });

/** Schedules as a table. */
export function scheduleListText(items: readonly ScheduleSummary[], colours = plain): string {
  if (items.length === 0) return 'No schedules.';
  const rows = items.map((it) => [
    it.scheduleId,
    `${it.journeyName} ${it.journeyVersion}`,
    it.subjectId ?? '-',
    it.state,
    it.runsExecuted === null ? '-' : `${it.runsExecuted}/${it.maxRuns}`,
    it.cadence ?? '-',
    it.lastResult ?? '-',
    it.nextRunAt ?? '-',
    it.note,
  ]);
  const head = ['SCHEDULE', 'JOURNEY', 'SUBJECT', 'STATE', 'RUNS', 'CADENCE', 'LAST RESULT', 'NEXT RUN', 'NOTE'];
  return table([head, ...rows], withHead(colours));
}

/** Results of a bulk command. */
export function bulkSchedulesText(items: readonly BulkItem[]): string {
  if (items.length === 0) return 'No schedules.';
  const said = ({ changed, state, problem }: BulkItem) =>
    problem ? `${problem.code}: ${problem.detail ?? problem.title}` : changed ? `is ${state}` : `was already ${state}`;
  return table(items.map((item) => [item.scheduleId, said(item)]));
}

/** A schedule as a page. */
export function scheduleDetailsText(view: ScheduleView, colours = plain): string {
  const { ran, missed, overlapped } = view.occurrences;
  const rows = [
    ['Schedule', view.scheduleId],
    ['Journey', `${view.journeyName} ${view.journeyVersion}, from state ${view.startStateId}`],
    ['Subject', view.subjectId ?? '-'],
    ...(view.owner === null ? [] : [['Owner', view.owner]]),
    ['State', `${view.state}${view.note ? ` (${view.note})` : ''}`],
    ['Cadence', view.cadence],
    ['Runs', `${view.runsExecuted} of ${view.maxRuns}`],
    ['Due times', `${ran} ran, ${missed} missed, ${overlapped} skipped because a run was active`],
    ['Next', view.nextRuns.slice(0, 3).join(', ') || '-'],
    ['Active', view.activeRuns.join(', ') || '-'],
    ...(view.migratedFrom === null
      ? []
      : [['Migrated from', `${view.migratedFrom}; its runs: journeyman schedule runs ${view.migratedFrom}`]]),
    ...view.drift.map((what) => ['Drift', `${what} Repair it: journeyman schedule repair ${view.scheduleId}`]),
    ...view.log.map(({ at, by, what }) => ['Changed', `${at} by ${by}: ${what}`]),
  ];
  const context = safeJson(view.lastContext, 2);
  const whose =
    view.state === 'exhausted' || view.state === 'migrated' ? 'the last run ended with' : 'the next run starts from';
  return `${table(rows)}\n\n${scheduledRunsText(view.recentRuns, colours)}\n\nThe context ${whose}:\n${context}`;
}

/** Runs as a table. */
export function scheduledRunsText(items: readonly ScheduledRun[], colours = plain): string {
  if (items.length === 0) return 'No runs yet.';
  const rows = items.map((it) => [
    it.journeyId,
    it.skipped ? 'skipped' : it.phase,
    it.terminationKind ?? '-',
    it.error ? `${it.error.code}: ${it.error.reason}` : '-',
    it.scheduledAt,
    it.startedAt,
    it.endedAt ?? '-',
  ]);
  return table([['RUN', 'PHASE', 'END', 'WHY', 'SCHEDULED', 'STARTED', 'ENDED'], ...rows], withHead(colours));
}

/** Upcoming runs as a table, in the zone's local time. */
export function previewText({ cadence, runs }: { cadence: string; runs: readonly PreviewedRun[] }): string {
  if (runs.length === 0) return `${safe(cadence)}: no further run.`;
  return `${safe(cadence)}\n\n${table(runs.map((run) => [`${run.local}${run.offset}`, run.instant, run.note ?? '']))}`;
}
