import { jsonText, type Paint, paint } from '../app/terminal.js';
import type { Occurrences } from '../scheduling/jobs/envelope.js';
import type { CreatedBy, TargetAction } from '../scheduling/jobs/record.js';
import type { PublishedFunction } from '../service/functions/registry.js';
import type { JobRun, JobSummary, JobView } from '../service/jobs.js';
import { table, withHead } from './output.js';

/** No colours. */
const plain = paint({ write: () => undefined });

const target = (it: TargetAction): string => (it.type === 'workflow_start' ? it.workflowId : `${it.functionId}()`);

/** Jobs as a table. */
export function jobsText(items: readonly JobSummary[], colours = plain): string {
  if (items.length === 0) return 'There are no such jobs.';
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

/** One job as a page. */
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
    ['Target', `${target(action)}${payload === undefined ? '' : ` ${jsonText(payload)}`}`],
    ['Output to', job.targetRef === null ? '-' : jsonText(job.targetRef)],
    ['When missed', job.misfirePolicy === 'skip_missed' ? 'skipped' : 'one late run'],
    ['Overlap', job.allowOverlap ? 'allowed' : 'one run at a time'],
    ['Longest run', `${job.maxDurationSec} s`],
    ['Due times', `${ran} ran, ${missed} missed, ${overlapped} overlapped, ${coalesced} coalesced`],
    ['Last run', job.lastRunAt === null ? '-' : `${job.lastRunAt}${last}`],
    ['Next', job.nextRuns.slice(0, 3).join(', ') || '-'],
    ['Active', job.activeRuns.join(', ') || '-'],
    ['Made', `${job.createdAt} by ${who(job.createdBy)}`],
    ['Changed', job.updatedAt],
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

/** Runs of a job as a table: why each did what it did stands in its line. */
export function historyText(items: readonly JobRun[], colours = plain): string {
  return runsTable(items, [], colours);
}

/** What is in the queues as a table. */
export function queueText(items: readonly JobRun[], colours = plain): string {
  return runsTable(items, ['ORCHESTRATOR', 'JOB'], colours);
}

function runsTable(items: readonly JobRun[], more: readonly ('ORCHESTRATOR' | 'JOB')[], colours: Paint): string {
  if (items.length === 0) return 'There are no such runs.';
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
  const head = ['DUE', ...more, 'ORIGIN', 'PHASE', 'OUTCOME', 'WHY', 'STANDS FOR', 'ENDED', 'RUN'];
  return table([head, ...rows], withHead(colours));
}

function stretch({ first, last, count, reason }: Occurrences): string {
  return count === 1 ? `1 ${reason}` : `${count} ${reason} from ${first} to ${last}`;
}

/** One run as a page. */
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
    ['Stands for', (run.result?.occurrences ?? []).map(stretch).join(', ') || '-'],
    ['Started', run.startedAt],
    ['Ended', run.endedAt ?? '-'],
    ['Journey', run.journeyId ?? '-'],
    ['Output', run.output === null ? '-' : jsonText(run.output)],
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
  return table([['FUNCTION', 'NEEDS', 'WHAT IT DOES'], ...rows], withHead(colours));
}
