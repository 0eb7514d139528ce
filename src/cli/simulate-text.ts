import { type Paint, safe } from '../app/terminal.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { Difference } from '../scenarios/diff.js';
import type { Observation, Trouble } from '../scenarios/observation.js';
import type { RunPlace } from '../scenarios/run-place.js';
import type { Fire } from '../scenarios/simulate/job.js';
import { short, span, type TimelineEvent } from '../scenarios/simulate/timeline.js';
import { placeInFile, placeText } from './place-text.js';

const mostChanges = 8;

/** One event of a timeline: when, where, what, and below it what changed in the context. */
export function eventText({ sinceStartMs, state, within, run, what, changes }: TimelineEvent, colours: Paint): string {
  const time = `+${span(sinceStartMs)}`.padEnd(12);
  const where = [run, within].filter((it) => it !== undefined).join(' ');
  const name = colours.bold(state) + ' '.repeat(Math.max(1, 18 - state.length));
  const head = `${colours.dim(time)} ${name} ${safe(what)}${where === '' ? '' : colours.dim(`  [${where}]`)}`;
  return [head, ...changeLines(changes, colours).map((line) => `${' '.repeat(33)}${line}`)].join('\n');
}

/** Changes of a context as a small diff. */
function changeLines(changes: readonly Difference[], colours: Paint): string[] {
  const lines = changes.slice(0, mostChanges).map((change) => {
    const text = changeText(change);
    return change.expected === undefined
      ? colours.green(`+ ${text}`)
      : change.actual === undefined
        ? colours.red(`- ${text}`)
        : colours.yellow(`~ ${text}`);
  });
  if (changes.length > mostChanges) lines.push(colours.dim(`… and ${changes.length - mostChanges} more`));
  return lines;
}

function changeText({ path, expected, actual }: Difference): string {
  const name = path === '' ? 'context' : path;
  if (expected === undefined) return `${name}: ${shown(actual)}`;
  return actual === undefined ? `${name}: ${shown(expected)}` : `${name}: ${shown(expected)} → ${shown(actual)}`;
}

function shown(value: Json | undefined): string {
  return value === null ? 'null' : short(value, 100);
}

/** How the run ended, or where it stands. */
export function endText(
  { phase, outcome, currentState, activeSteps = [], elapsedMs = 0 }: Observation,
  colours: Paint,
): string {
  const after = `after ${span(elapsedMs)}`;
  if (!outcome) {
    const waits = activeSteps.length > 0 ? `, waiting for ${activeSteps.join(', ')}` : '';
    return `${colours.yellow('RUNNING')} in ${safe(currentState ?? '')}${safe(waits)} ${after}`;
  }
  const { error, output, status, terminatedAtState } = outcome;
  const head = phase === 'SUCCEEDED' ? colours.green(phase) : colours.red(phase ?? '');
  const lines = [`${head} ${safe(status)} in ${safe(terminatedAtState)} ${after}`];
  if (error) lines.push(safe(`  ${String(error.cause ?? error.code)}: ${error.reason}`));
  if (error && typeof error.hint === 'string') lines.push(safe(`  ${error.hint}`));
  if (output !== null) lines.push(safe(`  output ${short(output, 1_000)}`));
  return lines.join('\n');
}

/** Where one state by itself leads, and what it leaves behind. */
export function stateEndText(state: string, seen: Observation, colours: Paint): string {
  const { outcome, context, elapsedMs = 0 } = seen;
  if (outcome?.phase !== 'SUCCEEDED' || outcome.terminatedAtState === state) return endText(seen, colours);
  const head = `${colours.green(state)} leads to ${safe(outcome.terminatedAtState)} after ${span(elapsedMs)}`;
  return `${head}\n${safe(`  context ${short(context, 1_000)}`)}`;
}

/** What nobody could answer. */
export function missingText(missing: readonly Trouble[], colours: Paint): string {
  return missing
    .map(({ message, hint }) => `${colours.red('missing')} ${safe(message)}${hint ? `\n  ${safe(hint)}` : ''}`)
    .join('\n');
}

/** A schedule and every run it started. */
export function scheduleText(schedule: JsonObject, colours: Paint, diff: (a: Json, b: Json) => Difference[]): string {
  const { scheduleId, startStateId, subjectId, maxRuns, runsExecuted, state, nextRunAt, overlapped } = schedule;
  const runs = (schedule.runs as JsonObject[]) ?? [];
  const lines = [
    colours.bold(safe(`Schedule ${scheduleId} at ${startStateId}${subjectId === null ? '' : ` for ${subjectId}`}`)),
  ];
  let before: Json | undefined;
  for (const [i, run] of runs.entries()) {
    const changes = before === undefined ? [] : diff(before, run.context!);
    lines.push(fireLine(i + 1, String(run.at), run, changes, colours));
    before = run.context;
  }
  const why =
    state === 'exhausted'
      ? `it has had all its ${maxRuns} runs`
      : nextRunAt === null
        ? 'it has no more times'
        : `the time that was looked at is over; the next run would be at ${nextRunAt}`;
  const skipped = Number(overlapped) > 0 ? `, ${overlapped} times came while a run was active` : '';
  lines.push(`  ${runsExecuted} of ${maxRuns} runs${skipped}: ${why}.`);
  if (isObject(schedule.context)) lines.push(safe(`  context ${short(schedule.context, 1_000)}`));
  return lines.join('\n');
}

/** Why runs failed, each reason once, and where. */
export function failuresText(places: readonly RunPlace[], colours: Paint): string {
  return places
    .map((place) => `  ${colours.red('failed')} ${safe(placeText(place))}  ${colours.dim(placeInFile(place))}`)
    .join('\n');
}

/** Every time of a job. */
export function jobText(fires: readonly Fire[], more: boolean, colours: Paint): string {
  const lines = fires.map(({ at, run }, i) => {
    if (!run) return `${String(i + 1).padStart(5)}  ${at}  ${colours.dim('overlapped: the run before it was active')}`;
    const { outcome, phase, elapsedMs = 0 } = run.observation;
    const seen = {
      phase: phase ?? 'RUNNING',
      status: outcome?.status ?? '',
      ...(outcome?.error && { errorCode: outcome.error.code }),
    };
    return `${fireLine(i + 1, at, seen, [], colours)}${colours.dim(`  ${span(elapsedMs)}`)}`;
  });
  const ran = fires.filter(({ run }) => run).length;
  lines.push(
    `  ${ran} runs at ${fires.length} times: ${more ? 'no more than these are played' : 'the time that was looked at is over, or there are no more times'}.`,
  );
  return lines.join('\n');
}

function fireLine(count: number, at: string, run: JsonObject, changes: Difference[], colours: Paint): string {
  const phase = run.phase === 'SUCCEEDED' ? colours.green('SUCCEEDED') : colours.red(String(run.phase).padEnd(9));
  const status = String(run.errorCode ?? run.status);
  const diff = changes.slice(0, 4).map(changeText).join(', ');
  return `${String(count).padStart(5)}  ${at}  ${phase}  ${safe(status === run.phase ? '' : status)}${diff === '' ? '' : `  ${colours.dim(diff)}`}`.trimEnd();
}
