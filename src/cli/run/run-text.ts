import { type Paint, safe, safeJson, shellWord } from '../../app/safe-terminal-text.js';
import type { Json } from '../../base/json/value.js';
import { internalError } from '../../engine/outcome.js';
import type { UncertainReason } from '../../engine/run.js';
import type { RunTrail, TrailCall, TrailEntry, TrailVisit } from '../../service/run-trail.js';
import type { RunTrouble, RunView } from '../../service/runs-interface.js';
import type { RunReport } from '../../temporal/runs/run-diagnostics.js';
import { table, withHead } from '../tables-progress-and-failures.js';
import type { FailureGroup, SelectedRun } from './select-runs.js';

/** A run as a page. */
export function reportText(report: RunReport): string {
  const { phase, status, steps, outcome } = report;
  const at = outcome ? outcome.terminatedAtState : status.currentState;
  const rows = [
    ['Run', report.journeyId],
    ['Journey', `${report.journeyName} ${report.journeyVersion}`],
    ['Phase', `${phase}${phase === 'RUNNING' && report.resting ? ' (waits)' : ''}`],
    ['At', at || '-'],
    ...status.activeStates.map(({ state, type, round, dueAt, within }) => [
      'Active',
      `${state} (${type}${round ? `, round ${round.number} of ${round.max}` : ''})${within ? ` in ${within}` : ''}${dueAt ? `, until ${dueAt}` : ''}`,
    ]),
    ...(steps.length > 0 ? [['Waits for', steps.join(', ')]] : []),
    ['Started', report.startedAt],
    ...(report.endedAt === null ? [['Updated', status.updatedAt]] : [['Ended', report.endedAt]]),
    ...outcomeRows(outcome),
    ...troubleRows(report),
  ];
  return `${table(rows)}${outputText(outcome)}`;
}

/** Rows about a run's failing task and retries. */
export function troubleRows({ failingTask, retries = [] }: Partial<RunTrouble>): string[][] {
  return [
    ...(failingTask
      ? [
          ['Blocked', `its workflow task failed ${failingTask.attempt - 1} times`],
          ['Why', `${failingTask.cause}: ${failingTask.reason}`],
        ]
      : []),
    ...retries.map(({ activity, attempt, reason }) => ['Retrying', `${activity}, attempt ${attempt}: ${reason}`]),
  ];
}

const uncertainty: Record<UncertainReason, string> = {
  NO_ANSWER: 'it may have happened; there was no response',
  LOST: 'it may have happened; its worker was lost',
  REPEATED: 'it may have happened twice; its worker was lost and it was repeated',
};

function outcomeRows(outcome: RunView['outcome']): string[][] {
  if (!outcome) return [];
  const { status, outcomeId, error, compensation, uncertain = [] } = outcome;
  return [
    // The language's code for internal errors is not helpful to people; the cause is.
    ['Status', status === internalError ? String(error?.cause ?? 'INTERNAL') : status],
    ...(outcomeId === undefined ? [] : [['Outcome', outcomeId]]),
    ...(error
      ? [['Error', `${error.cause ?? (error.code === internalError ? 'INTERNAL' : error.code)}: ${error.reason}`]]
      : []),
    ...(typeof error?.hint === 'string' ? [['Hint', error.hint]] : []),
    ...(compensation
      ? [['Compensation', compensation.mode === 'async' ? `run ${compensation.journeyId}` : compensation.phase]]
      : []),
    ...uncertain.map(({ state, call, reason }) => ['Uncertain', `${state}, ${call}: ${uncertainty[reason]}`]),
  ];
}

function outputText(outcome: RunView['outcome']): string {
  return outcome && outcome.output !== null ? `\n\nOutput:\n${safeJson(outcome.output, 2)}` : '';
}

/** A run after a command: its current state and the next possible commands. */
export function runText(run: RunView): string {
  const { journeyId, journeyName, journeyVersion, phase, status, steps, outcome } = run;
  const rows = [
    ['Run', journeyId],
    ['Journey', `${journeyName} ${journeyVersion}`],
    ['Phase', phase],
    ['At', outcome?.terminatedAtState ?? (status.currentState || '-')],
    ...outcomeRows(outcome),
  ];
  const next = steps.map((step) => `  journeyman run submit ${idArgument(journeyId)} ${shellWord(step)}`);
  const more = next.length > 0 ? `\n\nWaiting for a submission:\n${next.join('\n')}` : '';
  return `${table(rows)}${outputText(outcome)}${more}`;
}

/** An id as an argument of a shell command; `--` keeps a leading hyphen from being read as an option. */
export function idArgument(id: string): string {
  return id.startsWith('-') ? `-- ${shellWord(id)}` : shellWord(id);
}

export function runsText(items: readonly SelectedRun[], colours: Paint): string {
  if (items.length === 0) return 'No runs.';
  const rows = items.map(({ journeyId, journeyName, journeyVersion, phase, status, error }) => [
    journeyId,
    `${journeyName} ${journeyVersion}`,
    phase,
    status.currentState || '-',
    status.updatedAt,
    error ?? '',
  ]);
  return table([['RUN', 'JOURNEY', 'PHASE', 'STATE', 'UPDATED', 'ERROR'], ...rows], withHead(colours));
}

export function groupsText(groups: readonly FailureGroup[], colours: Paint): string {
  if (groups.length === 0) return 'No failed runs.';
  const rows = groups.map(({ error, journeyName, state, runs, latest, example }) => [
    String(runs),
    error,
    journeyName,
    state || '-',
    latest,
    example,
  ]);
  return table([['RUNS', 'ERROR', 'JOURNEY', 'STATE', 'LATEST', 'FOR EXAMPLE'], ...rows], withHead(colours));
}

/** A line of a timeline. */
export interface TimelineLine {
  readonly at: string;
  /** Unique in the timeline. */
  readonly key: string;
  readonly text: string;
  readonly level: 'state' | 'detail' | 'problem';
  readonly data?: Json;
}

type Part = Omit<TimelineLine, 'key'>;

/** The entries of a trail as a timeline, oldest first. */
export function timelineOf(entries: readonly TrailEntry[]): TimelineLine[] {
  const lines = entries.flatMap((entry) =>
    partsOf(entry).map(([part, line]) => ({ line: { ...line, key: `${entry.n} ${part}` }, n: entry.n })),
  );
  return lines
    .map((it, i) => ({ ...it, i }))
    .sort((a, b) => (a.line.at === b.line.at ? a.n - b.n || a.i - b.i : a.line.at < b.line.at ? -1 : 1))
    .map(({ line }) => line);
}

/** A line of a timeline as text. */
export function lineText({ at, text, level, data }: TimelineLine, colours: Paint, withData: boolean): string {
  const paint = { state: (it: string) => it, detail: colours.dim, problem: colours.red }[level];
  const came = withData && data !== undefined ? `\n${' '.repeat(28)}${safeJson(data)}` : '';
  return `${at}  ${paint(safe(text))}${came}`;
}

/** A trail as a timeline: the newest `limit` lines. */
export function trailText(trail: RunTrail, limit: number, colours: Paint, withData: boolean): string {
  const lines = timelineOf(trail.entries);
  const before = lines.length > limit ? ['… earlier lines are omitted: use --limit'] : [];
  const after = trail.reason ? ['', `Incomplete: ${trail.reason.detail}`] : [];
  return [...before, ...lines.slice(-limit).map((line) => lineText(line, colours, withData)), ...after].join('\n');
}

function partsOf(entry: TrailEntry): [part: string, line: Part][] {
  if (entry.kind === 'visit') return visitParts(entry);
  const line = (text: string, level: Part['level'] = 'state', data?: Json): [string, Part][] => [
    [entry.kind, { at: entry.at, text, level, ...(data !== undefined && { data }) }],
  ];
  switch (entry.kind) {
    case 'started':
      return line('started');
    case 'signal':
      return line(`  signal  ${entry.name}, kept or dropped`, 'detail', entry.payload);
    case 'cancel':
      return line('  cancel requested', 'detail');
    case 'blocked':
      return line(`  blocked  ${entry.message ?? ''}`, 'problem');
    case 'migrated':
      return line(`  migrated from version ${entry.from} to ${entry.to}`, 'detail');
    case 'ended': {
      const { state, phase, status, code, reason } = entry;
      const why = code === undefined ? '' : `: ${code}${reason ? `, ${reason}` : ''}`;
      const how = `${phase}${status === phase || why !== '' ? '' : ` (${status})`}${why}`;
      return line(words('ended', state, how), phase === 'FAILED' ? 'problem' : 'state', entry.output);
    }
  }
}

function visitParts(visit: TrailVisit): [string, Part][] {
  const { state, within, enteredAt, leftAt, outcome, code, reason, calls = [], timers = [], submissions = [] } = visit;
  const place = within === undefined ? state : `${state} in ${within}`;
  const detail = (at: string, text: string, level: Part['level'] = 'detail', data?: Json): Part => ({
    at,
    text: `  ${text}`,
    level,
    ...(data !== undefined && { data }),
  });
  const parts: [string, Part][] = [['entered', { at: enteredAt, text: `→ ${place}`, level: 'state' }]];
  calls.forEach((call, i) => {
    parts.push([
      `called ${i}`,
      detail(call.at, words('calls', state, call.about ?? call.kind), 'detail', call.request),
    ]);
    if (call.endedAt !== undefined)
      parts.push([
        `ended ${i}`,
        detail(call.endedAt, answered(state, call), call.outcome === 'failed' ? 'problem' : 'detail', call.response),
      ]);
  });
  timers.forEach(({ at, dueAt, firedAt }, i) => {
    parts.push([`waits ${i}`, detail(at, words('waits', state, `until ${dueAt}`))]);
    if (firedAt !== undefined) parts.push([`due ${i}`, detail(firedAt, words('is due', state))]);
  });
  submissions.forEach(({ at, payload }, i) => {
    parts.push([`submitted ${i}`, detail(at, words('was submitted', state), 'detail', payload)]);
  });
  if (outcome === 'failed' && leftAt !== undefined)
    parts.push(['failed', detail(leftAt, words('failed', place, `${code}${reason ? `: ${reason}` : ''}`), 'problem')]);
  if (outcome === 'interrupted' && leftAt !== undefined)
    parts.push(['interrupted', detail(leftAt, words('interrupted', place))]);
  return parts;
}

function answered(state: string, call: TrailCall): string {
  const { at, endedAt, outcome, about, kind, attempts, status, code, message } = call;
  const took = Date.parse(endedAt!) - Date.parse(at);
  const facts = [
    about ?? kind,
    status === undefined ? '' : `status ${status}`,
    code === undefined ? '' : `${code}${message ? `: ${message}` : ''}`,
    attempts > 1 ? `attempt ${attempts}` : '',
    took > 0 ? `after ${took} ms` : '',
  ];
  return words(outcome, state, facts.filter((it) => it !== '').join(', '));
}

function words(...all: (string | undefined)[]): string {
  return all.filter((it) => it !== undefined && it !== '').join('  ');
}
