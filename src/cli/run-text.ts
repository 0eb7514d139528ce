import { jsonText, type Paint, safe } from '../app/terminal.js';
import type { HistoryLine, RunHistory } from '../service/run-history.js';
import type { RunTrouble, RunView } from '../service/runs.js';
import type { RunReport } from '../temporal/run-report.js';
import { table, withHead } from './output.js';
import type { FailureGroup, SelectedRun } from './run-select.js';

/** Everything about one run. */
export function reportText(report: RunReport): string {
  const { phase, status, steps, outcome } = report;
  const at = outcome ? outcome.terminatedAtState : status.currentState;
  const rows = [
    ['Run', report.journeyId],
    ['Journey', `${report.journeyName} ${report.journeyVersion}`],
    ['Phase', `${phase}${phase === 'RUNNING' && report.resting ? ' (waits)' : ''}`],
    ['At', at || '-'],
    ...status.activeStates.map(({ state, type, dueAt, within }) => [
      'Active',
      `${state} (${type})${within ? ` in ${within}` : ''}${dueAt ? `, until ${dueAt}` : ''}`,
    ]),
    ...(steps.length > 0 ? [['Waits for', steps.join(', ')]] : []),
    ['Started', report.startedAt],
    ...(report.endedAt === null ? [['Updated', status.updatedAt]] : [['Ended', report.endedAt]]),
    ...outcomeRows(outcome),
    ...troubleRows(report),
  ];
  return `${table(rows)}${outputText(outcome)}`;
}

/** What keeps a run from going on. */
export function troubleRows({ failingTask, retries = [] }: Partial<RunTrouble>): string[][] {
  return [
    ...(failingTask
      ? [
          ['Cannot go on', `its workflow task failed ${failingTask.attempt - 1} times`],
          ['Why', `${failingTask.cause}: ${failingTask.reason}`],
        ]
      : []),
    ...retries.map(({ activity, attempt, reason }) => ['Tried again', `${activity}, attempt ${attempt}: ${reason}`]),
  ];
}

function outcomeRows(outcome: RunView['outcome']): string[][] {
  if (!outcome) return [];
  const { status, error, compensation } = outcome;
  return [
    ['Status', status],
    ...(error ? [['Error', `${error.cause ?? error.code}: ${error.reason}`]] : []),
    ...(typeof error?.hint === 'string' ? [['Hint', error.hint]] : []),
    ...(compensation
      ? [['Compensation', compensation.mode === 'async' ? `run ${compensation.journeyId}` : compensation.phase]]
      : []),
  ];
}

function outputText(outcome: RunView['outcome']): string {
  return outcome && outcome.output !== null ? `\n\nThe output:\n${jsonText(outcome.output, 2)}` : '';
}

/** A run after something was done to it: where it stands now, and what can be done next. */
export function runText(run: RunView): string {
  const { id, journeyName, journeyVersion, phase, status, steps, outcome } = run;
  const rows = [
    ['Run', id],
    ['Journey', `${journeyName} ${journeyVersion}`],
    ['Phase', phase],
    ['At', outcome?.terminatedAtState ?? (status.currentState || '-')],
    ...outcomeRows(outcome),
  ];
  const next = steps.map((step) => `  journeyman run submit ${idArgument(id)} ${safe(step)}`);
  const more = next.length > 0 ? `\n\nIt waits for somebody:\n${next.join('\n')}` : '';
  return `${table(rows)}${outputText(outcome)}${more}`;
}

/** An id as an argument: one that begins with a hyphen would be read as an option. */
export function idArgument(id: string): string {
  return id.startsWith('-') ? `-- ${safe(id)}` : safe(id);
}

export function runsText(items: readonly SelectedRun[], colours: Paint): string {
  if (items.length === 0) return 'No runs.';
  const rows = items.map(({ id, journeyName, journeyVersion, phase, status, error }) => [
    id,
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

/** How a line of the history reads. */
const words: Record<HistoryLine['kind'], string> = {
  started: 'started',
  entered: '→',
  called: 'calls',
  answered: 'answered',
  failed: 'failed',
  retried: 'tried again',
  waits: 'waits',
  due: 'is due',
  submitted: 'was submitted',
  signalled: 'signal',
  cancel: 'cancel',
  stuck: 'cannot go on',
  child: 'started run',
  continued: 'goes on',
  ended: 'ended',
};

/** One line of a timeline: time, state, what happened. */
export function lineText(line: HistoryLine, colours: Paint, withData: boolean): string {
  const { at, kind, state = '', within, text, data } = line;
  const place = `${state}${within === undefined ? '' : ` in ${within}`}`;
  const what = kind === 'entered' ? `→ ${place}` : [words[kind], place, text].filter((it) => it !== '').join('  ');
  const bad = kind === 'failed' || kind === 'stuck' || (kind === 'ended' && !text.startsWith('SUCCEEDED'));
  const shown = kind === 'entered' ? safe(what) : bad ? colours.red(what) : colours.dim(what);
  const indent = kind === 'entered' || kind === 'started' || kind === 'ended' ? '' : '  ';
  const came = withData && data !== undefined ? `\n${' '.repeat(28)}${jsonText(data)}` : '';
  return `${at}  ${indent}${shown}${came}`;
}

export function historyText({ lines, more, partial }: RunHistory, colours: Paint, withData: boolean): string {
  const before = more ? ['… there is more before: use --limit'] : [];
  const after = partial ? ['', 'No worker answered: states that ask nothing of the world are missing here.'] : [];
  return [...before, ...lines.map((line) => lineText(line, colours, withData)), ...after].join('\n');
}
