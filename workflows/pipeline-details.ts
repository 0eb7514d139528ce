import { scheduleInWords } from '../src/pipelines/cadence.js';
import { isAsleep, isPaused } from '../src/pipelines/scheduling.js';
import type { PipelineState } from '../src/pipelines/state.js';
import { formatInstant } from '../src/time/duration.js';
import type { Note } from './pipeline-input.js';

const shownRuns = 8;
const longestText = 300;

/** As code: as text, the Web UI would show quotes that no JSON has. */
const signals = [
  '- `trigger` with `"handler"`: run it as soon as nothing else runs',
  '- `pause` with `"why"`, `resume`',
  '- `resolve` with `{"run": "…", "how": "retry"}`, or `"did_not_happen"`, or `"skip"`',
  '- `publish` with `{"topic": "…", "id": "…", "payload": {}}`',
];

/** A pipeline as Markdown, for the "current details" of Temporal's Web UI: no payloads, only what happens and what to do about it. */
export function describePipeline(state: PipelineState, notes: readonly Note[], now: number): string {
  const { definition, active, refused, next } = state;
  const lines = [`### Pipeline ${definition.name} ${definition.version}`, ''];
  lines.push(...standing(state), '');
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
    ...producerLines(state),
    ...runLines(state),
  );
  if (notes.length > 0) lines.push('**Notes**', '', ...notes.map((it) => `- ${at(it.at)} ${it.text}`), '');
  lines.push('**Signals**', '', ...signals);
  return lines.join('\n');
}

/** Whether it runs by itself, and what has to be done if it does not. */
function standing(state: PipelineState): string[] {
  if (!isPaused(state)) return ['**It runs by itself.**'];
  const lines = state.pauses.map(({ reason, at: since, note }) => {
    const why = note ? `: ${plain(note)}` : '';
    if (reason === 'failed') return `**Paused** since ${at(since)}, because a run failed${why}`;
    if (reason === 'removed') return `**Paused** since ${at(since)}, because its document is gone. Deploy it again.`;
    return `**Paused** since ${at(since)} by somebody${why}`;
  });
  for (const run of state.suspended)
    lines.push(
      `**Suspended** \`${run.key}\`: ${code(run.error.code)} ${sentence(plain(run.error.reason))} ` +
        `Find out what it did, then send the signal \`resolve\` with \`{"run": "${run.key}", "how": "retry"}\` to run it again, ` +
        '`"did_not_happen"` to let its events wait again, or `"skip"` to leave them out.',
    );
  lines.push(
    state.suspended.length > 0
      ? 'Then send the signal `resume`, if it is still paused.'
      : 'To go on, put right what was wrong, then send the signal `resume`. `trigger` runs one handler meanwhile.',
  );
  return lines.flatMap((line) => [line, '']).slice(0, -1);
}

function topicLines({ topics }: PipelineState): string[] {
  return listed(
    'Topics',
    topics.names.map((name) => {
      const pending = topics.pending(name);
      return `\`${name}\`: ${pending} pending, ${topics.size(name) - pending} reserved`;
    }),
  );
}

function consumerLines(state: PipelineState, now: number): string[] {
  const lines = Object.entries(state.consumers).map(([name, consumer]) => {
    const { topics } = state.definition.consumers[name]!;
    const doing =
      state.active?.handler === name
        ? 'running'
        : isAsleep(consumer, now)
          ? `sleeping until ${at(consumer.sleep!.until)} or an event in ${topics.join(', ')}`
          : 'ready';
    return `\`${name}\`: ${doing}${consumer.triggered ? ', triggered' : ''}; last run ${last(consumer.last)}`;
  });
  return listed('Consumers', lines);
}

function producerLines(state: PipelineState): string[] {
  const lines = Object.entries(state.producers).map(([name, producer]) => {
    const { schedule } = state.definition.producers[name]!;
    const doing = state.active?.handler === name ? 'running' : producer.triggered ? 'triggered' : 'idle';
    const { skipped } = producer;
    const passed = skipped
      ? `; ${count(skipped.count, 'time')} without a run, the last ${at(skipped.slot)} (${plain(skipped.reason)})`
      : '';
    return `\`${name}\`: ${doing}, ${plain(scheduleInWords(schedule))}; last run ${last(producer.last)}${passed}`;
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

/** A list: the Web UI shows tables without lines. */
function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, '', ...lines.map((line) => `- ${line}`), ''];
}

function last(it: { at: number; status: string } | undefined): string {
  return it ? `${it.status} ${at(it.at)}` : 'none yet';
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** A text of somebody else's that can neither leave its cell nor become Markdown. */
function plain(text: string): string {
  return text
    .slice(0, longestText)
    .replaceAll(/[\s]+/g, ' ')
    .replaceAll(/[|`<>[\]*_]/g, (char) => `\\${char}`);
}

/** A text of somebody else's as code. */
function code(text: string): string {
  return `\`${text.slice(0, longestText).replaceAll(/[`\s]+/g, ' ')}\``;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** To the second: what is shown changes with every run. */
function at(instant: number): string {
  return formatInstant(instant).replace(/\.\d+Z$/, 'Z');
}
