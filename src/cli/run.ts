import { Command } from 'commander';
import { jsonText, type Paint, paint, safe } from '../app/terminal.js';
import { isObject, type Json } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { allStates, isStep } from '../states/graphs.js';
import { type BodyOptions, bodyOf, confirmed, fieldOption } from './form.js';
import { jsonValue, withInput } from './input.js';
import { whoami } from './operator.js';
import { configured, count, formatOption, jsonOption, requestId } from './options.js';
import { againCommands, findJourney, type Shared } from './run-again.js';
import { bulkText, eachOf, grouped, type Selection, selectRuns, selects, withSelection } from './run-select.js';
import { groupsText, historyText, lineText, reportText, runsText, runText } from './run-text.js';
import { type RunParts, type RunTools, runParts, told } from './run-tools.js';

const examples = `
The command talks to the Temporal service itself (TEMPORAL_ADDRESS, else the embedded server), so it works while no gateway runs.
On a terminal it asks for what a start or a step needs, by its schema; elsewhere --input or --field say it.

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
  $ journeyman run move --journey checkout --state approve --to 1.1.0`;

/** `journeyman run …`: starting journeys, and everything about single runs. */
export function runCommand(parts: RunParts = runParts): Command {
  const { out, errors, questions } = parts;
  const command = new Command('run')
    .description('Start journeys, look at their runs, and go on with them.')
    .addHelpText('after', examples);
  const sub = (name: string, description: string) =>
    configured(name).description(description).addOption(formatOption()).addOption(jsonOption());
  const print = <T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? jsonText(value, 2) : text(value, paint(out))}\n`);
  };
  const within = async (options: Shared, work: (tools: RunTools) => Promise<void>): Promise<void> => {
    const tools = await parts.open(options);
    await work(tools).finally(() => tools.close());
  };
  const withBody = (it: Command) =>
    withInput(it, 'the body', jsonValue).option(
      '--field <name=value>',
      'a field of the body; repeatable, a.b=1 reaches inside',
      fieldOption,
      [],
    );

  /** Follows a run to its end; false if it did not succeed. */
  const watch = async (id: string, options: Shared & { payloads?: true }, { runs }: RunTools): Promise<void> => {
    const colours = paint(out);
    for await (const line of runs.follow(id))
      out.write(`${options.format === 'json' ? jsonText(line) : lineText(line, colours, options.payloads === true)}\n`);
    const ended = await runs.result(id);
    if (ended.phase !== 'SUCCEEDED') process.exitCode = 1;
  };

  command.addCommand(
    withBody(sub('start', 'Start a journey of the configured folder.'))
      .argument('<journey>')
      .option('--request-id <id>', 'the same id is the same run', requestId)
      .option('--watch', 'follow it until it ends')
      .action(async (name: string, options: Shared & BodyOptions & { requestId?: string; watch?: true }) =>
        within(options, async (tools) => {
          const entry = findJourney(name, await tools.library());
          const { definition } = entry;
          const body = await bodyOf(options, definition.input?.schema, questions);
          if (!isObject(body)) return refuse('BODY_NOT_OBJECT');
          const run = await tools.runs.start({
            ...tools.starts.prepare(entry, { body, headers: {}, query: new URLSearchParams() }),
            mode: options.watch ? 'async' : definition.lifecycle.startMode,
            caller: whoami(),
            ...(options.requestId !== undefined && { idempotencyKey: options.requestId }),
          });
          await told(tools.audit, 'run.started', run);
          if (!options.watch) return print(options, run, runText);
          errors.write(`${safe(run.id)}\n`);
          await watch(run.id, options, tools);
        }),
      ),
  );
  command.addCommand(
    withSelection(sub('list', 'List runs, newest first.'))
      .option('--group', 'count failed runs by error code, journey and state')
      .option('--limit <n>', 'how many at most', count, 50)
      .action(async (options: Shared & Selection & { group?: true }) =>
        within(options, async ({ runs }) => {
          const limit = options.group ? Math.max(options.limit, groupedLimit) : options.limit;
          const { items, more } = await selectRuns(runs, {
            ...options,
            limit,
            ...(options.group && { failed: true as const }),
          });
          if (options.group) print(options, grouped(items), groupsText);
          else print(options, items, runsText);
          if (more) errors.write(`There are more than these ${limit}: use --limit.\n`);
        }),
      ),
  );
  command.addCommand(
    sub('show', 'Show where a run stands, how it ended, and what keeps it from going on.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async ({ report }) => print(options, await report(id), reportText)),
      ),
  );
  command.addCommand(
    sub('watch', 'Follow a run until it ends; exits with 1 if it fails. With --format json one line of JSON each.')
      .argument('<id>')
      .option('--payloads', 'also what came in and what was answered')
      .action(async (id: string, options: Shared & { payloads?: true }) =>
        within(options, async (tools) => await watch(id, options, tools)),
      ),
  );
  command.addCommand(
    withBody(sub('submit', 'Submit a step that a run waits for.'))
      .argument('<id>')
      .argument('[step]', 'which one, where it waits for several')
      .option('--request-id <id>', 'the same id is the same submission', requestId)
      .action(async (id: string, step: string | undefined, options: Shared & BodyOptions & { requestId?: string }) =>
        within(options, async ({ runs, audit }) => {
          const stepId = step ?? (await onlyStep(id, runs));
          const body = await bodyOf(options, await schemaOf(id, stepId, runs), questions);
          const run = await runs.submit({
            id,
            caller: whoami(),
            stepId,
            payload: body,
            headers: {},
            body: Buffer.from(JSON.stringify(body)),
            ...(options.requestId !== undefined && { idempotencyKey: options.requestId }),
          });
          await told(audit, 'run.submitted', run, { detail: { stepId } });
          print(options, run, runText);
        }),
      ),
  );
  command.addCommand(
    withSelection(sub('cancel', 'Ask a run to end, or all that are selected.'))
      .argument('[id]', 'one run; else say which')
      .option('--limit <n>', 'how many at most', count, 100)
      .option('-y, --yes', 'ask nothing')
      .action(async (id: string | undefined, options: Shared & Selection & { yes?: true }, self: Command) =>
        within(options, async ({ runs, audit }) => {
          if (id === undefined && !selects(options)) self.error('error: say which: an id, --journey or --state');
          const cancel = async (each: string) => {
            const run = await runs.cancel(each);
            const change = { before: { phase: 'RUNNING' }, after: { phase: run.phase } };
            if (run.changed) await told(audit, 'run.cancelled', run, change);
            return run;
          };
          if (id !== undefined) return print(options, await cancel(id), runText);
          const { items, more } = await selectRuns(runs, { ...options, phase: 'RUNNING' });
          if (
            !(await confirmed(`Cancel ${items.length} runs${more ? ' (there are more)' : ''}?`, options.yes, questions))
          )
            return;
          print(options, await eachOf(items, async ({ id: each }) => (await cancel(each)).phase), bulkText);
        }),
      ),
  );
  command.addCommand(
    sub('result', 'Print the outcome of a run that has ended; exits with 1 if it failed.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async ({ runs }) => {
          const run = await runs.result(id);
          if (run.phase !== 'SUCCEEDED') process.exitCode = 1;
          print(options, run.outcome, () => runText(run));
        }),
      ),
  );
  command.addCommand(
    sub('history', 'Tell what became of a run: its states, what it called, what came in, what failed.')
      .argument('<id>')
      .option('--payloads', 'also what came in and what was answered')
      .option('--limit <n>', 'how many lines at most, the newest', count, 500)
      .action(async (id: string, options: Shared & { payloads?: true; limit: number }) =>
        within(options, async ({ runs }) => {
          const history = await runs.history(id, options.limit);
          print(options, history, (it, colours) => historyText(it, colours, options.payloads === true));
        }),
      ),
  );
  for (const it of againCommands({ sub, print, within, questions })) command.addCommand(it);
  return command;
}

/** Groups are of more runs than anybody wants to read. */
const groupedLimit = 1_000;

/** The step to submit where none is named. */
async function onlyStep(id: string, runs: RunTools['runs']): Promise<string> {
  const { phase, steps } = await runs.status(id);
  const [only, ...others] = steps;
  if (only !== undefined && others.length === 0) return only;
  if (phase !== 'RUNNING') return refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
  if (only === undefined) return refuse('STEP_NOT_ACTIVE', 'The run waits for no step now.');
  return refuse('USAGE_INVALID', `The run waits for several steps: name one of ${steps.join(', ')}.`);
}

async function schemaOf(id: string, stepId: string, runs: RunTools['runs']): Promise<Json | undefined> {
  const { definition } = await runs.input(id);
  const step = [...allStates(definition)].find((it) => it.id === stepId && isStep(it.state));
  return step && 'schema' in step.state ? (step.state.schema as Json) : undefined;
}
