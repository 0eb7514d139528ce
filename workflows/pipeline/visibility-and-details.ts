import { log, setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { formatInstant } from '../../src/base/time/instant.js';
import { isAsleep } from '../../src/pipelines/choose-next-run.js';
import { isPaused, type PauseView, pausesOf } from '../../src/pipelines/describe-pause-reasons.js';
import { producerCadence, scheduleInWords } from '../../src/pipelines/read-producer-schedule.js';
import type { PipelineState } from '../../src/pipelines/state.js';
import { nextAfter } from '../../src/schedules/cadence/occurrences.js';
import { pairs } from '../shared/run-search-attributes.js';
import { type Note, type PipelineMemo, pipelineAttributes, pipelineMemo } from './workflow-contract.js';

const shownRuns = 8;
const longestText = 300;
const longestPause = 2_000;

/** As code: in plain text the Web UI would show typographic quotes. */
const signals = [
  '- `trigger` with `"handler"`: run it as soon as nothing else runs',
  '- `pause` with `"why"`, `resume`',
  '- `resolve` with `{"run": "…", "how": "retry"}`, or `"did_not_happen"`, or `"skip"`',
  '- `publish` with `{"topic": "…", "id": "…", "payload": {}}`',
];

/** A pipeline as Markdown, for the "current details" of Temporal's Web UI: its status and what to do about it, without payloads. */
function pipelineDetails(state: PipelineState, notes: readonly Note[], now: number): string {
  const { definition, active, refused, next } = state;
  const lines = [`### Pipeline ${definition.name} ${definition.version}`, ''];
  lines.push(...statusLines(state), '');
  if (next) lines.push('A new document waits for the active run to end.', '');
  if (refused)
    lines.push(`The last document was refused: ${plain(refused.problem.detail ?? refused.problem.title)}`, '');
  lines.push(
    active
      ? `**Running** \`${active.handler}\` since ${at(active.startedAt)}, ${count(active.reservations.length, 'event')} (run \`${active.key}\`)`
      : '**Running** nothing',
    '',
    ...topicLines(state),
    ...consumerLines(state, now),
    ...producerLines(state, now),
    ...runLines(state),
  );
  if (notes.length > 0) lines.push('**Notes**', '', ...notes.map((it) => `- ${at(it.at)} ${it.text}`), '');
  lines.push('**Signals**', '', ...signals);
  return lines.join('\n');
}

/** Status of the pipeline, and what to do if it is paused. */
function statusLines(state: PipelineState): string[] {
  if (!isPaused(state)) return ['**Active**: producers and consumers run on their own.'];
  const lines = pausesOf(state).map(({ text }) => plain(text, longestPause).replace(/^\w+/, '**$&**'));
  for (const { key } of state.suspended)
    lines.push(
      `Or send the signal \`resolve\` with \`{"run": "${key}", "how": "retry"}\` to retry it, ` +
        '`"did_not_happen"` to release its events, or `"skip"` to skip them.',
    );
  for (const { source } of state.pauses)
    if (source?.record)
      lines.push(`Or send the signal \`resolve\` with \`{"run": "${source.record.id}", "how": "skip"}\` to skip it.`);
  if (state.suspended.length === 0) lines.push('Or send the signal `resume`. `trigger` runs one handler meanwhile.');
  return lines.flatMap((line) => [line, '']).slice(0, -1);
}

function topicLines({ topics, sources }: PipelineState): string[] {
  return listed(
    'Topics',
    topics.names.map((name) => {
      const pending = topics.pending(name);
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      const from = source ? `; ${count(source.taken, 'event')} taken from Kafka ${code(source.kafka.topic)}` : '';
      return `\`${name}\`: ${pending} pending, ${topics.size(name) - pending} reserved${from}`;
    }),
  );
}

function consumerLines(state: PipelineState, now: number): string[] {
  const lines = Object.entries(state.consumers).map(([name, consumer]) => {
    const { topics } = state.definition.consumers[name]!;
    const doing =
      state.active?.handler === name
        ? 'running'
        : isPaused(state)
          ? 'paused'
          : isAsleep(consumer, now)
            ? `sleeping until ${at(consumer.sleep!.until)} or an event in ${topics.join(', ')}`
            : 'ready';
    return `\`${name}\`: ${doing}${consumer.triggered ? ', triggered' : ''}; last run ${last(consumer.last)}`;
  });
  return listed('Consumers', lines);
}

function producerLines(state: PipelineState, now: number): string[] {
  const lines = Object.entries(state.producers).map(([name, producer]) => {
    const { schedule } = state.definition.producers[name]!;
    const doing = state.active?.handler === name ? 'running' : producer.triggered ? 'triggered' : 'idle';
    const { skipped } = producer;
    const passed = skipped
      ? `; ${count(skipped.count, 'time')} without a run, the last ${at(skipped.slot)} (${plain(skipped.reason)})`
      : '';
    const next = isPaused(state) ? undefined : nextAfter(producerCadence(schedule), now);
    const due = next === undefined ? 'none while it is paused' : at(next);
    return `\`${name}\`: ${doing}, ${plain(scheduleInWords(schedule))}; next run ${due}; last run ${last(producer.last)}${passed}`;
  });
  return listed('Producers', lines);
}

function runLines({ runs }: PipelineState): string[] {
  const lines = runs
    .slice(-shownRuns)
    .reverse()
    .map((run) => {
      const why = run.error ? `: ${code(run.error.code)} ${plain(run.error.reason)}` : '';
      const decided = run.resolution ? `, then ${plain(run.resolution)}` : '';
      return `${at(run.endedAt)} \`${run.key}\` (${run.trigger}, ${count(run.events, 'event')}) **${run.status}**${decided}${why}`;
    });
  return listed('Last runs', lines);
}

/** A list rather than a table: the Web UI shows tables without lines. */
function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, '', ...lines.map((line) => `- ${line}`), ''];
}

function last(it: { at: number; status: string } | undefined): string {
  return it ? `${it.status} ${at(it.at)}` : 'none yet';
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Escapes a foreign text so that it cannot become Markdown. */
function plain(text: string, longest = longestText): string {
  return text
    .slice(0, longest)
    .replaceAll(/[\s]+/g, ' ')
    .replaceAll(/[|`<>[\]*_]/g, (char) => `\\${char}`);
}

/** A foreign text as code. */
function code(text: string): string {
  return `\`${text.slice(0, longestText).replaceAll(/[`\s]+/g, ' ')}\``;
}

/** An instant to the second. */
function at(instant: number): string {
  return formatInstant(instant).replace(/\.\d+Z$/, 'Z');
}

const keptNotes = 10;
const longestNote = 400;

/** The parts of a pipeline that Temporal shows: current details with notes, search attributes and memo. */
export class PipelineDisplay {
  private shown: Visible;
  /** Texts of the pauses that were logged. */
  private logged: readonly string[];

  constructor(
    state: PipelineState,
    public notes: readonly Note[] = [],
  ) {
    // An execution that was started with a snapshot does not show the pauses yet.
    const memo = workflowInfo().memo?.pipeline as PipelineMemo | undefined;
    this.shown = { ...visibleOf(state), pause: memo?.pause?.text };
    this.logged = memo?.pause ? pausesOf(state).map(({ text }) => text) : [];
  }

  /** Adds a note. A repeated note replaces the old one. */
  note(given: string, at: number): void {
    const text = given.slice(0, longestNote);
    this.notes = [...this.notes.filter((it) => it.text !== text), { at, text }].slice(-keptNotes);
  }

  showDetails(state: PipelineState, now: number): void {
    setCurrentDetails(pipelineDetails(state, this.notes, now));
  }

  /** Writes what changed; an upsert is a history event. Returns whether there was one. */
  show(state: PipelineState, now: number): boolean {
    this.showDetails(state, now);
    const before = this.shown;
    const pauses = pausesOf(state);
    this.log(state.definition.name, pauses);
    const { status, hash, deployer, pause } = visibleOf(state);
    const isOther = hash !== before.hash || deployer !== before.deployer;
    if (status === before.status && pause === before.pause && !isOther) return false;
    this.shown = { status, hash, deployer, pause };
    if (status !== before.status || isOther)
      upsertSearchAttributes(pairs(pipelineAttributes(state.definition, deployer, status)));
    if (pause !== before.pause || isOther)
      upsertMemo({ pipeline: pipelineMemo(state.definition, hash, deployer, pauses[0]) });
    return true;
  }

  /** Logs each new pause once. */
  private log(pipeline: string, pauses: readonly PauseView[]): void {
    for (const { text, reason, run } of pauses)
      if (!this.logged.includes(text))
        log.warn(`The pipeline ${pipeline} stopped. ${text}`, { pipeline, reason, ...(run !== undefined && { run }) });
    this.logged = pauses.map(({ text }) => text);
  }
}

interface Visible {
  readonly status: 'paused' | 'running';
  readonly hash: string;
  readonly deployer: string;
  /** The text of the first pause. */
  readonly pause: string | undefined;
}

function visibleOf(state: PipelineState): Visible {
  return {
    status: isPaused(state) ? 'paused' : 'running',
    hash: state.hash,
    deployer: state.deployer,
    pause: pausesOf(state)[0]?.text,
  };
}
