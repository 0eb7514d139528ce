import { type Paint, safe } from '../../../app/safe-terminal-text.js';
import { isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import type { Difference } from '../../../scenarios/json-differences.js';
import type { RunPlace } from '../../../scenarios/locate-run-end-in-source.js';
import type { Observation, ScenarioProblem } from '../../../scenarios/scenario-observation.js';
import type { JobFire } from '../../../scenarios/simulate/simulate-job.js';
import { shortJson, type TimelineEvent, timeSpan } from '../../../scenarios/simulate/timeline.js';
import { placeInFile, placeText } from '../run-location-text.js';

const mostChanges = 8;

/** An event of the timeline with the changes of the context. */
export function eventText({ sinceStartMs, state, within, run, what, changes }: TimelineEvent, colours: Paint): string {
  const time = `+${timeSpan(sinceStartMs)}`.padEnd(12);
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
  return value === null ? 'null' : shortJson(value, 100);
}

/** The outcome of the run, or its current state. */
export function runEndText(
  { phase, outcome, currentState, activeSteps = [], elapsedMs = 0 }: Observation,
  colours: Paint,
): string {
  const after = `after ${timeSpan(elapsedMs)}`;
  if (!outcome) {
    const waits = activeSteps.length > 0 ? `, waiting for ${activeSteps.join(', ')}` : '';
    return `${colours.yellow('RUNNING')} in ${safe(currentState ?? '')}${safe(waits)} ${after}`;
  }
  const { error, output, status, terminatedAtState } = outcome;
  const head = phase === 'SUCCEEDED' ? colours.green(phase) : colours.red(phase ?? '');
  const lines = [`${head} ${safe(status)} in ${safe(terminatedAtState)} ${after}`];
  if (error) lines.push(safe(`  ${String(error.cause ?? error.code)}: ${error.reason}`));
  if (error && typeof error.hint === 'string') lines.push(safe(`  ${error.hint}`));
  if (output !== null) lines.push(safe(`  output ${shortJson(output, 1_000)}`));
  return lines.join('\n');
}

/** The next state and the context after a single state. */
export function stateEndText(state: string, seen: Observation, colours: Paint): string {
  const { outcome, context, elapsedMs = 0 } = seen;
  if (outcome?.phase !== 'SUCCEEDED' || outcome.terminatedAtState === state) return runEndText(seen, colours);
  const head = `${colours.green(state)} leads to ${safe(outcome.terminatedAtState)} after ${timeSpan(elapsedMs)}`;
  return `${head}\n${safe(`  context ${shortJson(context, 1_000)}`)}`;
}

/** Calls and steps without an answer. */
export function missingText(missing: readonly ScenarioProblem[], colours: Paint): string {
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
      ? `all ${maxRuns} runs are done`
      : nextRunAt === null
        ? 'no more occurrences'
        : `end of the simulated time; the next run would be at ${nextRunAt}`;
  const skipped = Number(overlapped) > 0 ? `, ${overlapped} skipped because a run was active` : '';
  lines.push(`  ${runsExecuted} of ${maxRuns} runs${skipped}: ${why}.`);
  if (isObject(schedule.context)) lines.push(safe(`  context ${shortJson(schedule.context, 1_000)}`));
  return lines.join('\n');
}

/** Failures of runs, each once, with their location. */
export function failuresText(places: readonly RunPlace[], colours: Paint): string {
  return places
    .map((place) => `  ${colours.red('failed')} ${safe(placeText(place))}  ${colours.dim(placeInFile(place))}`)
    .join('\n');
}

/** Every occurrence of a job. */
export function simulatedJobText(fires: readonly JobFire[], more: boolean, colours: Paint): string {
  const lines = fires.map(({ at, run }, i) => {
    if (!run) return `${String(i + 1).padStart(5)}  ${at}  ${colours.dim('overlapped: the previous run was active')}`;
    const { outcome, phase, elapsedMs = 0 } = run.observation;
    const seen = {
      phase: phase ?? 'RUNNING',
      status: outcome?.status ?? '',
      ...(outcome?.error && { errorCode: outcome.error.code }),
    };
    return `${fireLine(i + 1, at, seen, [], colours)}${colours.dim(`  ${timeSpan(elapsedMs)}`)}`;
  });
  const ran = fires.filter(({ run }) => run).length;
  lines.push(
    `  ${ran} runs at ${fires.length} times: ${more ? 'the limit of simulated runs is reached' : 'end of the simulated time, or no more occurrences'}.`,
  );
  return lines.join('\n');
}

function fireLine(count: number, at: string, run: JsonObject, changes: Difference[], colours: Paint): string {
  const phase = run.phase === 'SUCCEEDED' ? colours.green('SUCCEEDED') : colours.red(String(run.phase).padEnd(9));
  const status = String(run.errorCode ?? run.status);
  const diff = changes.slice(0, 4).map(changeText).join(', ');
  return `${String(count).padStart(5)}  ${at}  ${phase}  ${safe(status === run.phase ? '' : status)}${diff === '' ? '' : `  ${colours.dim(diff)}`}`.trimEnd();
}
