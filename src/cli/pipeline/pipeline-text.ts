import type { DeployLine } from '../../app/deploy-pipelines.js';
import { type Paint, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { EventView, TopicSourceView } from '../../pipelines/view.js';
import type { PipelineDetails, PipelineRun, PipelineSummary } from '../../service/pipelines-interface.js';
import { troubleRows } from '../run/run-text.js';
import { table, withHead } from '../tables-progress-and-failures.js';

/** No colours. */
const plain = paint({ write: () => undefined });

/** Pipelines as a table. */
export function pipelineListText(items: readonly PipelineSummary[], colours: Paint = plain): string {
  if (items.length === 0) return 'No pipelines. Deploy one: journeyman pipeline deploy';
  const rows = items.map((it) => [
    it.name,
    it.version,
    it.status,
    it.deployer,
    ...(it.problem ? [`${it.problem.code}: ${it.problem.detail ?? it.problem.title}`] : []),
  ]);
  const head = ['PIPELINE', 'VERSION', 'STATUS', 'DEPLOYED BY', ...(items.some((it) => it.problem) ? ['PROBLEM'] : [])];
  const pauses = items.flatMap(({ name, pause }) => (pause ? [safe(`${name}: ${pause.text}`)] : []));
  return [table([head, ...rows], withHead(colours)), ...(pauses.length > 0 ? ['', ...pauses] : [])].join('\n');
}

/** Topics as a table. */
export function topicsText(topics: PipelineDetails['topics'], colours: Paint = plain): string {
  const hasSource = Object.values(topics).some(({ source }) => source);
  const rows = Object.entries(topics).map(([name, it]) => [
    name,
    String(it.pending),
    String(it.reserved),
    String(it.bytes),
    `${it.room.events} events, ${it.room.bytes} bytes`,
    it.subscribers.join(', '),
    ...(hasSource ? [it.source ? sourceText(it.source) : '-'] : []),
  ]);
  const head = ['TOPIC', 'PENDING', 'RESERVED', 'BYTES', 'ROOM', 'CONSUMERS', ...(hasSource ? ['SOURCE'] : [])];
  return table([head, ...rows], withHead(colours));
}

function sourceText({ kafka, taken, lag, lost }: TopicSourceView): string {
  const gone = lost > 0 ? `, ${lost} deleted before they were taken` : '';
  return `Kafka ${kafka.topic} as ${kafka.group}: ${taken} taken, ${lag} waiting${gone}`;
}

/** A pipeline as a page. */
export function pipelineText(view: PipelineDetails, colours: Paint = plain): string {
  const { active } = view;
  const rows = [
    ['Pipeline', `${view.name} ${view.version}`],
    ['Status', view.status],
    ...(view.ended ? [['Ended', view.ended]] : []),
    ...view.pauses.map(({ reason, text }) => [reason === 'suspended' ? 'Suspended' : 'Paused', text]),
    ...view.suspended.map(({ journeyId }) => ['', `its journey: journeyman run history ${journeyId}`]),
    ...(view.deployment
      ? [
          [
            'Document',
            view.deployment.problem ? `rejected: ${view.deployment.problem.detail}` : 'waiting for the active run',
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
    [
      it.topics.join(', '),
      ...Object.entries(it.sees ?? {}).map(
        ([topic, { seen, pending }]) => `(prepare sees ${seen} of ${pending} in ${topic})`,
      ),
    ].join(' '),
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
  if (items.length === 0) return 'No events.';
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
export function pipelineRunsText(items: readonly PipelineRun[], colours: Paint = plain): string {
  if (items.length === 0) return 'No runs yet.';
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

/** Results of a deployment. */
export function deployText(lines: readonly DeployLine[]): string {
  if (lines.length === 0) return 'No pipelines to deploy.';
  return lines.map(deployLine).join('\n');
}

/** Result of deploying one document. */
export function deployLine(line: DeployLine): string {
  if ('problem' in line) {
    const { code, detail, title, hint, errors } = line.problem;
    const more = errors?.map(({ message }) => message).join(' ');
    const what = line.isGone ? 'could not be paused after its document was removed' : 'was not deployed';
    return safe(
      `${line.name} ${what}. ${code}: ${detail ?? title}${more ? ` ${more}` : ''}${hint ? ` (${hint})` : ''}`,
    );
  }
  const said = {
    created: 'is deployed',
    changed: 'is deployed',
    unchanged: 'is up to date',
    waiting: 'will be updated when its active run has ended',
    removed: 'is paused: its document was removed',
  }[line.result];
  const schedules =
    'schedules' in line && line.schedules.length > 0 ? `; Schedules set for ${line.schedules.join(', ')}` : '';
  const paused = 'pause' in line && line.pause ? `, but it stays paused. ${line.pause}` : '';
  return safe(`${line.name} ${said}${schedules}${paused}`);
}

const longest = 100;

function short(value: unknown): string {
  const text = safeJson(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
