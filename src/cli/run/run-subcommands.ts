import { Command } from 'commander';
import { type Paint, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import { didYouMean } from '../../base/document/did-you-mean.js';
import { isObject, type Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { partsOfAddress } from '../../engine/steps/step-address.js';
import { allStates } from '../../language/states/graph-traversal.js';
import { isStep } from '../../language/states/state-queries.js';
import { followTrail, wholeTrail } from '../../service/run-trail.js';
import { jsonValue, withInput } from '../json-input-option.js';
import { commandWithConfig, countOption, formatOption, jsonOption, requestIdOption } from '../options.js';
import { terminalUser } from '../terminal-user-and-audit.js';
import { type BodyOptions, bodyOf, confirmed, fieldOption } from './ask-for-body.js';
import { findJourney, type RunCommandOptions, rerunCommands } from './rerun-and-migrate.js';
import { auditRun, type RunCommandDeps, type RunTools, runCommandDeps } from './run-command-deps.js';
import { groupsText, lineText, reportText, runsText, runText, timelineOf, trailText } from './run-text.js';
import {
  bulkRunsText,
  forEachRun,
  groupFailures,
  hasSelection,
  type Selection,
  selectRuns,
  withSelection,
} from './select-runs.js';

const examples = `
The command connects to Temporal directly (TEMPORAL_ADDRESS, or else the embedded server), so it works without a gateway.
On a terminal it asks for the fields of a start or a step, by its schema; otherwise use --input or --field.

Examples:
  $ journeyman run start hello --field name=Ada
  $ journeyman run list --failed --group
  $ journeyman run show d94BEkXp0Mev9dKy59xgbg
  $ journeyman run watch d94BEkXp0Mev9dKy59xgbg
  $ journeyman run submit d94BEkXp0Mev9dKy59xgbg approve --input '{"approved":true}'
  $ journeyman run cancel d94BEkXp0Mev9dKy59xgbg
  $ journeyman run result d94BEkXp0Mev9dKy59xgbg --json
  $ journeyman run history d94BEkXp0Mev9dKy59xgbg
  $ journeyman run reset d94BEkXp0Mev9dKy59xgbg --to approve
  $ journeyman run retry --journey checkout --error SOLD_OUT
  $ journeyman run migrate --journey checkout --state approve --to 1.1.0`;

/** `journeyman run …`: starts journeys and manages their runs. */
export function runCommand(parts: RunCommandDeps = runCommandDeps): Command {
  const { out, errors, questions } = parts;
  const command = new Command('run')
    .description('Start journeys and manage their runs.')
    .addHelpText('after', examples);
  const sub = (name: string, description: string) =>
    commandWithConfig(name).description(description).addOption(formatOption()).addOption(jsonOption());
  const print = <T>(options: RunCommandOptions, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? safeJson(value, 2) : text(value, paint(out))}\n`);
  };
  const within = async (options: RunCommandOptions, work: (tools: RunTools) => Promise<void>): Promise<void> => {
    const tools = await parts.open(options);
    await work(tools).finally(() => tools.close());
  };
  const withBody = (it: Command) =>
    withInput(it, 'the body', jsonValue).option(
      '--field <name=value>',
      'a field of the body; repeatable; a.b=1 sets a nested field',
      fieldOption,
      [],
    );

  /** Follows a run to its end; sets the exit code if it did not succeed. */
  const watch = async (
    id: string,
    options: RunCommandOptions & { payloads?: true },
    { runs }: RunTools,
  ): Promise<void> => {
    const colours = paint(out);
    const printed = new Set<string>();
    for await (const { entries } of followTrail(runs, id))
      if (options.format === 'json') for (const entry of entries) out.write(`${safeJson(entry as unknown as Json)}\n`);
      else
        for (const line of timelineOf(entries).filter(({ key }) => !printed.has(key))) {
          printed.add(line.key);
          out.write(`${lineText(line, colours, options.payloads === true)}\n`);
        }
    const ended = await runs.result(id);
    if (ended.phase !== 'SUCCEEDED') process.exitCode = 1;
  };

  command.addCommand(
    withBody(sub('start', 'Start a journey from the configured folder.'))
      .argument('<journey>')
      .option('--request-id <id>', 'idempotency key: repeating it returns the same run', requestIdOption)
      .option('--watch', 'follow the run until it ends')
      .action(async (name: string, options: RunCommandOptions & BodyOptions & { requestId?: string; watch?: true }) =>
        within(options, async (tools) => {
          const entry = findJourney(name, await tools.library());
          const { definition } = entry;
          const body = await bodyOf(options, definition.input?.schema, questions);
          if (!isObject(body)) return refuse('BODY_NOT_OBJECT');
          const run = await tools.runs.start({
            ...tools.starts.prepare(entry, { body, headers: {}, query: new URLSearchParams() }),
            mode: options.watch ? 'async' : definition.lifecycle.startMode,
            caller: terminalUser(),
            ...(options.requestId !== undefined && { idempotencyKey: options.requestId }),
          });
          await auditRun(tools.audit, 'run.started', run);
          if (!options.watch) return print(options, run, runText);
          errors.write(`${safe(run.journeyId)}\n`);
          await watch(run.journeyId, options, tools);
        }),
      ),
  );
  command.addCommand(
    withSelection(sub('list', 'List runs, newest first.'))
      .option('--group', 'count failed runs by error code, journey and state')
      .option('--limit <n>', 'maximum number', countOption, 50)
      .action(async (options: RunCommandOptions & Selection & { group?: true }) =>
        within(options, async ({ runs }) => {
          const limit = options.group ? Math.max(options.limit, groupedLimit) : options.limit;
          const { items, more } = await selectRuns(runs, {
            ...options,
            limit,
            ...(options.group && { failed: true as const }),
          });
          if (options.group) print(options, groupFailures(items), groupsText);
          else print(options, items, runsText);
          if (more) errors.write(`Showing the first ${limit}: use --limit for more.\n`);
        }),
      ),
  );
  command.addCommand(
    sub('show', 'Show a run: its current states, outcome, and anything that blocks it.')
      .argument('<id>')
      .action(async (id: string, options: RunCommandOptions) =>
        within(options, async ({ report }) => print(options, await report(id), reportText)),
      ),
  );
  command.addCommand(
    sub('watch', 'Follow a run until it ends; exit with 1 if it fails. With --format json, one JSON object per line.')
      .argument('<id>')
      .option('--payloads', 'include submitted and returned data')
      .action(async (id: string, options: RunCommandOptions & { payloads?: true }) =>
        within(options, async (tools) => await watch(id, options, tools)),
      ),
  );
  command.addCommand(
    withBody(sub('submit', 'Submit a step of a waiting run.'))
      .argument('<id>')
      .argument('[step]', 'the step, if the run waits for several')
      .option('--request-id <id>', 'idempotency key: repeating it returns the same submission', requestIdOption)
      .action(
        async (
          id: string,
          step: string | undefined,
          options: RunCommandOptions & BodyOptions & { requestId?: string },
        ) =>
          within(options, async ({ runs, audit }) => {
            const stepId = step ?? (await onlyStep(id, runs));
            const body = await bodyOf(options, await schemaOf(id, stepId, runs), questions);
            const run = await runs.submit({
              id,
              caller: terminalUser(),
              stepId,
              payload: body,
              headers: {},
              body: Buffer.from(JSON.stringify(body)),
              ...(options.requestId !== undefined && { idempotencyKey: options.requestId }),
            });
            await auditRun(audit, 'run.submitted', run, { detail: { stepId } });
            print(options, run, runText);
          }),
      ),
  );
  command.addCommand(
    withSelection(sub('cancel', 'Cancel a run, or all selected ones.'))
      .argument('[id]', 'one run; otherwise select several')
      .option('--limit <n>', 'maximum number', countOption, 100)
      .option('-y, --yes', 'skip the confirmation')
      .action(async (id: string | undefined, options: RunCommandOptions & Selection & { yes?: true }, self: Command) =>
        within(options, async ({ runs, audit }) => {
          if (id === undefined && !hasSelection(options)) self.error('error: specify an id, --journey or --state');
          const cancel = async (each: string) => {
            const run = await runs.cancel(each);
            const change = { before: { phase: 'RUNNING' }, after: { phase: run.phase } };
            if (run.changed) await auditRun(audit, 'run.cancelled', run, change);
            return run;
          };
          if (id !== undefined) return print(options, await cancel(id), runText);
          const { items, more } = await selectRuns(runs, { ...options, phase: 'RUNNING' });
          if (
            !(await confirmed(`Cancel ${items.length} runs${more ? ' (there are more)' : ''}?`, options.yes, questions))
          )
            return;
          print(
            options,
            await forEachRun(items, async ({ journeyId: each }) => (await cancel(each)).phase),
            bulkRunsText,
          );
        }),
      ),
  );
  command.addCommand(
    sub('result', 'Print the outcome of a run that has ended; exit with 1 if it failed.')
      .argument('<id>')
      .action(async (id: string, options: RunCommandOptions) =>
        within(options, async ({ runs }) => {
          const run = await runs.result(id);
          if (run.phase !== 'SUCCEEDED') process.exitCode = 1;
          print(options, run.outcome, () => runText(run));
        }),
      ),
  );
  command.addCommand(
    sub('history', 'Show the history of a run: states, calls, submissions, failures.')
      .argument('<id>')
      .option('--payloads', 'include submitted and returned data')
      .option('--limit <n>', 'maximum number of lines, the newest', countOption, 500)
      .action(async (id: string, options: RunCommandOptions & { payloads?: true; limit: number }) =>
        within(options, async ({ runs }) => {
          const trail = await wholeTrail(runs, id);
          const withData = options.payloads === true;
          print(options, trail, (it, colours) => trailText(it, options.limit, colours, withData));
        }),
      ),
  );
  for (const it of rerunCommands({ sub, print, within, questions })) command.addCommand(it);
  return command;
}

/** Number of runs that are grouped: more than a list shows. */
const groupedLimit = 1_000;

/** Steps that an error lists at most; a map may have a thousand. */
const listedSteps = 20;

/** The only active step of a run. */
async function onlyStep(id: string, runs: RunTools['runs']): Promise<string> {
  const { phase, steps } = await runs.status(id);
  const [only, ...others] = steps;
  if (only !== undefined && others.length === 0) return only;
  if (phase !== 'RUNNING') return refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
  if (only === undefined) return refuse('STEP_NOT_ACTIVE', 'The run is not waiting for a step.');
  const some = steps.slice(0, listedSteps).join(', ');
  const more = steps.length > listedSteps ? `, and ${steps.length - listedSteps} more` : '';
  return refuse('USAGE_INVALID', `The run is waiting for several steps; specify one of ${some}${more}.`);
}

async function schemaOf(id: string, address: string, runs: RunTools['runs']): Promise<Json | undefined> {
  const { definition } = await runs.input(id);
  const { stepId } = partsOfAddress(address);
  const steps = [...allStates(definition)].filter((it) => isStep(it.state));
  const step = steps.find((it) => it.id === stepId);
  if (!step) {
    const hint = didYouMean(
      stepId,
      steps.map((it) => it.id),
    );
    return refuse('STEP_UNKNOWN', `The journey has no step ${JSON.stringify(stepId)}.`, {
      ...(hint !== undefined && { hint }),
    });
  }
  return 'schema' in step.state ? (step.state.schema as Json) : undefined;
}
