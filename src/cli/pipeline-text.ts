import type { DeployLine } from '../app/pipelines.js';
import { jsonText, type Paint, paint, safe } from '../app/terminal.js';
import type { EventView } from '../pipelines/view.js';
import type { PipelineRun, PipelineShown, PipelineSummary } from '../service/pipelines.js';
import { table, withHead } from './output.js';
import { troubleRows } from './run-text.js';

/** No colours. */
const plain = paint({ write: () => undefined });

/** Pipelines as a table. */
export function summariesText(items: readonly PipelineSummary[], colours: Paint = plain): string {
  if (items.length === 0) return 'There are no pipelines. Deploy one: journeyman pipeline deploy';
  const rows = items.map((it) => [
    it.name,
    it.version,
    it.status,
    it.deployer,
    ...(it.problem ? [`${it.problem.code}: ${it.problem.detail ?? it.problem.title}`] : []),
  ]);
  const head = ['PIPELINE', 'VERSION', 'STATUS', 'DEPLOYED BY', ...(items.some((it) => it.problem) ? ['PROBLEM'] : [])];
  return table([head, ...rows], withHead(colours));
}

/** Topics as a table. */
export function topicsText(topics: PipelineShown['topics'], colours: Paint = plain): string {
  const rows = Object.entries(topics).map(([name, it]) => [
    name,
    String(it.pending),
    String(it.reserved),
    it.subscribers.join(', '),
  ]);
  return table([['TOPIC', 'PENDING', 'RESERVED', 'CONSUMERS'], ...rows], withHead(colours));
}

/** One pipeline as a page. */
export function viewText(view: PipelineShown, colours: Paint = plain): string {
  const { active } = view;
  const rows = [
    ['Pipeline', `${view.name} ${view.version}`],
    ['Status', view.status],
    ...(view.ended ? [['Ended', view.ended]] : []),
    ...view.pauses.map(({ reason, at, note }) => ['Paused', `${at} ${reason}${note ? `: ${note}` : ''}`]),
    ...view.suspended.map((it) => [
      'Suspended',
      `${it.run} (journey ${it.journeyId}) ${it.error.code}: ${it.error.reason}; decide: journeyman pipeline resolve ${view.name} ${it.run} retry|did_not_happen|skip`,
    ]),
    ...(view.deployment
      ? [
          [
            'Document',
            view.deployment.problem ? `refused: ${view.deployment.problem.detail}` : 'waits for the active run',
          ],
        ]
      : []),
    ['Running', active ? `${active.handler} since ${active.startedAt} (${active.run})` : '-'],
    ...(active?.journeyId === undefined ? [] : [['Journey', active.journeyId], ...troubleRows(active)]),
    ['Deployed', `${view.deployedAt} by ${view.deployer}`],
    ...view.notes.map(({ at, text }) => ['Note', `${at} ${text}`]),
    ['Runs', `${view.counts.committed} committed, ${view.counts.failed} failed, ${view.suspended.length} suspended`],
  ];
  const consumers = Object.entries(view.consumers).map(([name, it]) => [
    name,
    it.wakes ? `${it.state} until ${it.wakes.at} or an event` : it.state,
    it.topics.join(', '),
    it.last ? `${it.last.status} ${it.last.at}` : '-',
  ]);
  const producers = Object.entries(view.producers).map(([name, it]) => [
    name,
    it.state,
    it.cadence,
    it.nextRunAt ?? '-',
    it.last ? `${it.last.status} ${it.last.at}` : '-',
    it.skipped ? `${it.skipped.count}, last ${it.skipped.slot} (${it.skipped.reason})` : '-',
    it.drift.join(' '),
  ]);
  const head = withHead(colours);
  return [
    table(rows),
    topicsText(view.topics, colours),
    ...(consumers.length > 0 ? [table([['CONSUMER', 'STATE', 'TOPICS', 'LAST RUN'], ...consumers], head)] : []),
    ...(producers.length > 0
      ? [table([['PRODUCER', 'STATE', 'WHEN', 'NEXT RUN', 'LAST RUN', 'SKIPPED', 'DRIFT'], ...producers], head)]
      : []),
  ].join('\n\n');
}

/** Events as a table. */
export function eventsText(items: readonly EventView[], colours: Paint = plain): string {
  if (items.length === 0) return 'There are no such events.';
  const rows = items.map((it) => [
    it.id,
    it.status,
    it.publishedAt ?? it.at ?? '-',
    it.run ?? '-',
    it.payload === undefined ? '-' : short(it.payload),
  ]);
  return table([['EVENT', 'STATUS', 'SINCE', 'RUN', 'PAYLOAD'], ...rows], withHead(colours));
}

/** Runs as a table. */
export function runsText(items: readonly PipelineRun[], colours: Paint = plain): string {
  if (items.length === 0) return 'It has had no runs.';
  const rows = items.map((it) => [
    it.run,
    it.status ?? 'running',
    it.trigger,
    String(it.events),
    it.endedAt ?? '-',
    it.journeyId,
    it.error ? `${it.error.code}: ${it.error.reason}` : short(it.output ?? null),
  ]);
  return table([['RUN', 'STATUS', 'WHY', 'EVENTS', 'ENDED', 'JOURNEY', 'OUTPUT'], ...rows], withHead(colours));
}

/** What became of each document. */
export function deployText(lines: readonly DeployLine[]): string {
  if (lines.length === 0) return 'There are no pipelines to deploy.';
  return lines.map(deployLine).join('\n');
}

/** What became of one document. */
export function deployLine(line: DeployLine): string {
  if ('problem' in line) {
    const { code, detail, title, hint, errors } = line.problem;
    const more = errors?.map(({ message }) => message).join(' ');
    const what = line.isGone ? 'could not be paused, though its document is gone' : 'was not deployed';
    return safe(
      `${line.name} ${what}. ${code}: ${detail ?? title}${more ? ` ${more}` : ''}${hint ? ` (${hint})` : ''}`,
    );
  }
  const said = {
    created: 'is deployed',
    changed: 'is deployed',
    unchanged: 'was deployed already',
    waiting: 'will change when its active run has ended',
    removed: 'is paused: its document is gone',
  }[line.result];
  const schedules =
    'schedules' in line && line.schedules.length > 0 ? `; Schedules set for ${line.schedules.join(', ')}` : '';
  return safe(`${line.name} ${said}${schedules}`);
}

const longest = 100;

function short(value: unknown): string {
  const text = jsonText(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
