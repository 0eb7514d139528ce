import { type Paint, paint, safeJson } from '../../app/safe-terminal-text.js';
import type { CreatedBy, TargetAction } from '../../schedules/jobs/job-record.js';
import type { OccurrenceSpan } from '../../schedules/occurrence-counts.js';
import type { PublishedFunction } from '../../service/functions/function-registry.js';
import type { JobRun, JobSummary, JobView } from '../../service/jobs-interface.js';
import { table, withHead } from '../tables-progress-and-failures.js';

/** No colours. */
const plain = paint({ write: () => undefined });

const target = (it: TargetAction): string => (it.type === 'workflow_start' ? it.workflowId : `${it.functionId}()`);

/** Jobs as a table. */
export function jobsText(items: readonly JobSummary[], colours = plain): string {
  if (items.length === 0) return 'No jobs.';
  const rows = items.map((it) => [
    it.jobId,
    it.name ?? '-',
    it.state,
    target(it.targetAction),
    it.cadence,
    it.lastRunAt ?? '-',
    it.lastResult ? (it.lastResult.code ?? it.lastResult.outcome) : '-',
    it.nextRunAt ?? '-',
  ]);
  const head = ['JOB', 'NAME', 'STATE', 'TARGET', 'CADENCE', 'LAST RUN', 'LAST RESULT', 'NEXT RUN'];
  return table([head, ...rows], withHead(colours));
}

/** A job as a page. */
export function jobText(job: JobView): string {
  const { ran, missed, overlapped, coalesced } = job.occurrences;
  const { targetAction: action } = job;
  const payload = action.type === 'workflow_start' ? action.inputs : action.functionArgs;
  const last = job.lastResult
    ? `, ${job.lastResult.outcome}${job.lastResult.code ? ` (${job.lastResult.code})` : ''}`
    : '';
  return table([
    ['Job', job.jobId],
    ['Name', job.name ?? '-'],
    ['Orchestrator', job.orchestratorId],
    ['State', job.state],
    ...(job.state === 'enabled' || job.note === '' ? [] : [['Note', job.note]]),
    ['Cadence', job.cadence],
    ['Target', `${target(action)}${payload === undefined ? '' : ` ${safeJson(payload)}`}`],
    ['Output to', job.targetRef === null ? '-' : safeJson(job.targetRef)],
    ['When missed', job.misfirePolicy === 'skip_missed' ? 'skipped' : 'one late run'],
    ['Overlap', job.allowOverlap ? 'allowed' : 'one run at a time'],
    ['Longest run', `${job.maxDurationSec} s`],
    ['Due times', `${ran} ran, ${missed} missed, ${overlapped} overlapped, ${coalesced} coalesced`],
    ['Last run', job.lastRunAt === null ? '-' : `${job.lastRunAt}${last}`],
    ['Next', job.nextRuns.slice(0, 3).join(', ') || '-'],
    ['Active', job.activeRuns.join(', ') || '-'],
    ['Created', `${job.createdAt} by ${who(job.createdBy)}`],
    ['Updated', job.updatedAt],
    ...job.drift.map((what) => [
      'Drift',
      `${what} Repair it: journeyman job repair ${job.jobId} -o ${job.orchestratorId}`,
    ]),
  ]);
}

function who({ caller, channelProfileId, sender, senderId }: CreatedBy): string {
  const person = sender ?? senderId;
  const via = channelProfileId === undefined ? '' : ` of ${channelProfileId}`;
  return person === undefined ? `${caller}${via}` : `${person}${via} (${caller})`;
}

/** Runs of a job as a table, with the reason of each outcome. */
export function jobHistoryText(items: readonly JobRun[], colours = plain): string {
  return runsTable(items, [], colours);
}

/** Queued and recent runs as a table. */
export function queueText(items: readonly JobRun[], colours = plain): string {
  return runsTable(items, ['ORCHESTRATOR', 'JOB'], colours);
}

function runsTable(items: readonly JobRun[], more: readonly ('ORCHESTRATOR' | 'JOB')[], colours: Paint): string {
  if (items.length === 0) return 'No runs.';
  const rows = items.map((it) => [
    it.triggeredAt,
    ...more.map((column) => (column === 'JOB' ? (it.jobId ?? '-') : it.orchestratorId)),
    it.origin,
    it.phase,
    it.result?.outcome ?? '-',
    it.result?.reason ? `${it.result.reason.code}: ${it.result.reason.message}` : '-',
    (it.result?.occurrences ?? []).map(stretch).join(', ') || '-',
    it.endedAt ?? '-',
    it.executionId,
  ]);
  const head = ['DUE', ...more, 'ORIGIN', 'PHASE', 'OUTCOME', 'WHY', 'COVERS', 'ENDED', 'RUN'];
  return table([head, ...rows], withHead(colours));
}

function stretch({ first, last, count, reason }: OccurrenceSpan): string {
  return count === 1 ? `1 ${reason}` : `${count} ${reason} from ${first} to ${last}`;
}

/** A run as a page. */
export function jobRunText(run: JobRun & { output: unknown }): string {
  const rows = [
    ['Run', run.executionId],
    ['Job', run.jobId ?? '-'],
    ['Orchestrator', run.orchestratorId],
    ['Origin', run.origin],
    ['Due', run.triggeredAt],
    ['Phase', run.phase],
    ['Outcome', run.result?.outcome ?? '-'],
    ['Why', run.result?.reason ? `${run.result.reason.code}: ${run.result.reason.message}` : '-'],
    ['Covers', (run.result?.occurrences ?? []).map(stretch).join(', ') || '-'],
    ['Started', run.startedAt],
    ['Ended', run.endedAt ?? '-'],
    ['Journey', run.journeyId ?? '-'],
    ['Output', run.output === null ? '-' : safeJson(run.output)],
  ];
  return table(rows);
}

/** Functions as a table. */
export function functionsText(items: readonly PublishedFunction[], colours = plain): string {
  const rows = items.map(({ functionId, description, parameters }) => [
    functionId,
    (parameters.required as string[]).join(', ') || '-',
    description,
  ]);
  return table([['FUNCTION', 'REQUIRED', 'DESCRIPTION'], ...rows], withHead(colours));
}
