import { jsonText, paint, safe } from '../app/terminal.js';
import type { PreviewedRun } from '../scheduling/preview.js';
import type { BulkItem } from '../service/schedule-bulk.js';
import type { ScheduledRun, ScheduleSummary, ScheduleView } from '../service/schedules.js';
import { table, withHead } from './output.js';

/** No colours. */
const plain = paint({ write: () => undefined });

/** Schedules as a table. */
export function summariesText(items: readonly ScheduleSummary[], colours = plain): string {
  if (items.length === 0) return 'There are no such schedules.';
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

/** What became of each of several schedules. */
export function bulkText(items: readonly BulkItem[]): string {
  if (items.length === 0) return 'There are no such schedules.';
  const said = ({ changed, state, problem }: BulkItem) =>
    problem ? `${problem.code}: ${problem.detail ?? problem.title}` : changed ? `is ${state}` : `was ${state} already`;
  return table(items.map((item) => [item.scheduleId, said(item)]));
}

/** One schedule as a page. */
export function viewText(view: ScheduleView, colours = plain): string {
  const { ran, missed, overlapped } = view.occurrences;
  const rows = [
    ['Schedule', view.scheduleId],
    ['Journey', `${view.journeyName} ${view.journeyVersion}, from state ${view.startStateId}`],
    ['Subject', view.subjectId ?? '-'],
    ['State', `${view.state}${view.note ? ` (${view.note})` : ''}`],
    ['Cadence', view.cadence],
    ['Runs', `${view.runsExecuted} of ${view.maxRuns}`],
    ['Due times', `${ran} ran, ${missed} missed, ${overlapped} skipped because a run was active`],
    ['Next', view.nextRuns.slice(0, 3).join(', ') || '-'],
    ['Active', view.activeRuns.join(', ') || '-'],
    ...(view.movedFrom === null
      ? []
      : [['Moved from', `${view.movedFrom}; its runs: journeyman schedule runs ${view.movedFrom}`]]),
    ...view.drift.map((what) => ['Drift', `${what} Repair it: journeyman schedule repair ${view.scheduleId}`]),
    ...view.log.map(({ at, by, what }) => ['Changed', `${at} by ${by}: ${what}`]),
  ];
  const context = jsonText(view.lastContext, 2);
  const whose =
    view.state === 'exhausted' || view.state === 'moved' ? 'the last run ended with' : 'the next run starts from';
  return `${table(rows)}\n\n${runsText(view.recentRuns, colours)}\n\nThe context ${whose}:\n${context}`;
}

/** Runs as a table. */
export function runsText(items: readonly ScheduledRun[], colours = plain): string {
  if (items.length === 0) return 'It has had no runs.';
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

/** Coming runs as a table, in the zone's local time. */
export function previewText({ cadence, runs }: { cadence: string; runs: readonly PreviewedRun[] }): string {
  if (runs.length === 0) return `${safe(cadence)}: no further run.`;
  return `${safe(cadence)}\n\n${table(runs.map((run) => [`${run.local}${run.offset}`, run.instant, run.note ?? '']))}`;
}
