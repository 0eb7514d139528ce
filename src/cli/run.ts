import { Command } from 'commander';
import { jsonText, type Output } from '../app/terminal.js';
import { connect } from '../temporal/connection.js';
import { type RunReport, runReport } from '../temporal/run-report.js';
import { TemporalRuns } from '../temporal/runs.js';
import { configOf, configured, formatOption } from './options.js';
import { table } from './output.js';

/** Where the command prints, and what it talks to; for tests. */
export interface RunParts {
  out: Output;
  open(options: { config?: string }): Promise<{ show(id: string): Promise<RunReport>; close(): Promise<void> }>;
}

const parts: RunParts = {
  out: process.stdout,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const runs = new TemporalRuns(client, config);
    return { show: (id) => runReport(client, runs, id), close };
  },
};

interface Options {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman run …`: what an operator wants to know about single runs. */
export function runCommand({ out, open }: RunParts = parts): Command {
  const command = new Command('run').description('Look at runs of journeys.').addHelpText(
    'after',
    `
The command talks to the Temporal service itself (TEMPORAL_ADDRESS, else the embedded server), so it works while no gateway runs.

Example:
  $ journeyman run show d94BEkXp0Mev9dKy59xgbg`,
  );
  command.addCommand(
    configured('show')
      .description('Show where a run stands, how it ended, and what keeps it from going on.')
      .argument('<id>')
      .addOption(formatOption())
      .action(async (id: string, options: Options) => {
        const { show, close } = await open(options);
        const report = await show(id).finally(close);
        out.write(`${options.format === 'json' ? jsonText(report, 2) : reportText(report)}\n`);
      }),
  );
  return command;
}

function reportText(report: RunReport): string {
  const { phase, status, steps, outcome, failingTask, retries } = report;
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
    ...(outcome ? [['Status', outcome.status]] : []),
    ...(outcome?.error ? [['Error', `${outcome.error.cause ?? outcome.error.code}: ${outcome.error.reason}`]] : []),
    ...(failingTask
      ? [
          ['Cannot go on', `its workflow task failed ${failingTask.attempt - 1} times`],
          ['Why', `${failingTask.cause}: ${failingTask.reason}`],
        ]
      : []),
    ...retries.map(({ activity, attempt, reason }) => ['Tried again', `${activity}, attempt ${attempt}: ${reason}`]),
  ];
  const output = outcome && outcome.output !== null ? `\n\nThe output:\n${jsonText(outcome.output, 2)}` : '';
  return `${table(rows)}${output}`;
}
