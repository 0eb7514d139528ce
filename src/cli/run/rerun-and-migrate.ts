import { type Command, Option } from 'commander';
import { type Paint, safe } from '../../app/safe-terminal-text.js';
import { nearestName } from '../../base/problems/nearest-name.js';
import { refuse } from '../../base/problems/problem.js';
import { findVersion, type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import type { MigratedRun, RerunRequest, RerunResult } from '../../service/runs-interface.js';
import { countOption, requestIdOption } from '../options.js';
import { confirmed, type Questions } from './ask-for-body.js';
import { auditRun, type RunTools } from './run-command-deps.js';
import { idArgument } from './run-text.js';
import { bulkRunsText, forEachRun, hasSelection, type Selection, selectRuns, withSelection } from './select-runs.js';

/** Options of every `run` command. */
export interface RunCommandOptions {
  config?: string;
  format: 'text' | 'json';
}

/** Helpers shared by the `run` commands. */
export interface RunCommandContext {
  readonly questions: Questions;
  sub(name: string, description: string): Command;
  print<T>(options: RunCommandOptions, value: T, text: (value: T, colours: Paint) => string): void;
  within(options: RunCommandOptions, work: (tools: RunTools) => Promise<void>): Promise<void>;
}

/** `run retry` and `run reset` rerun a run that has ended; `run migrate` migrates a waiting run to another version. */
export function rerunCommands({ sub, print, within, questions }: RunCommandContext): Command[] {
  const withRerunOptions = (it: Command) =>
    it
      .option('--current', 'use the definition in the configured folder, not that of the run')
      .option('--despite-compensation', 'rerun even if its compensation has completed')
      .option('--request-id <id>', 'idempotency key: repeating it returns the same new run', requestIdOption);
  const rerun = async (
    { runs, library, audit }: RunTools,
    event: 'run.retried' | 'run.reset',
    request: Pick<RerunRequest, 'id' | 'to' | 'unlessRerun'>,
    options: RerunOptions,
  ): Promise<RerunResult> => {
    const { id } = request;
    const by = options.current ? findJourney((await runs.status(id)).journeyName, await library()) : undefined;
    const result = await runs.rerun({
      ...request,
      ...(by && { by }),
      ...(options.despiteCompensation && { despiteCompensation: true }),
      ...(options.requestId !== undefined && { key: options.requestId }),
    });
    if (!result.repeated) await auditRun(audit, event, result.run, { detail: { retryOf: id, state: result.state } });
    return result;
  };
  const retryCommand = withRerunOptions(
    withSelection(sub('retry', 'Retry a failed run, or all selected ones, from the failed state; each as a new run.')),
  )
    .argument('[id]', 'one run; otherwise select several')
    .option('--limit <n>', 'maximum number', countOption, 100)
    .option('-y, --yes', 'skip the confirmation')
    .action(
      async (
        id: string | undefined,
        options: RunCommandOptions & Selection & RerunOptions & { yes?: true },
        self: Command,
      ) =>
        within(options, async (tools) => {
          const retry = (request: Pick<RerunRequest, 'id' | 'unlessRerun'>) =>
            rerun(tools, 'run.retried', request, options);
          if (id !== undefined) return print(options, await retry({ id }), rerunText);
          if (!hasSelection(options)) self.error('error: specify an id, --journey, --state or --error');
          const { items, more } = await selectRuns(tools.runs, { ...options, failed: true });
          const question = `Retry ${items.length} failed runs${more ? ' (there are more)' : ''}?`;
          if (!(await confirmed(question, options.yes, questions))) return;
          // A request id asks for another rerun.
          const unlessRerun = options.requestId === undefined;
          print(
            options,
            await forEachRun(items, async ({ journeyId: each }) => rerunLine(await retry({ id: each, unlessRerun }))),
            bulkRunsText,
          );
        }),
    );
  const resetCommand = withRerunOptions(sub('reset', 'Reset a run that has ended to an earlier state, as a new run.'))
    .argument('<id>')
    .addOption(new Option('--to <state>', 'the state to start from, at its last visit').conflicts('visit'))
    .option('--visit <visit>', 'the visit to start from, as listed by `run history --json`')
    .action(
      async (id: string, options: RunCommandOptions & RerunOptions & { to?: string; visit?: string }, self: Command) =>
        within(options, async (tools) => {
          const { to: state, visit } = options;
          if (state === undefined && visit === undefined) self.error('error: specify --to or --visit');
          const to = visit === undefined ? { state: state! } : { visit };
          print(options, await rerun(tools, 'run.reset', { id, to }, options), rerunText);
        }),
    );
  const migrateCommand = sub('migrate', 'Migrate a waiting run to another version of its journey.')
    .argument('[id]', 'one run; otherwise select several')
    .option('--journey <name>', 'every running run of this journey')
    .option('--state <id>', 'only runs that wait in this state')
    .requiredOption('--to <version>', 'a version of its journey in the configured folder')
    .option('--limit <n>', 'maximum number', countOption, 100)
    .option('-y, --yes', 'skip the confirmation')
    .action(
      async (
        id: string | undefined,
        options: RunCommandOptions & Selection & { to: string; yes?: true },
        self: Command,
      ) =>
        within(options, async ({ runs, library, audit }) => {
          const found = await library();
          const migrate = async (each: string): Promise<MigratedRun> => {
            const { journeyName } = await runs.status(each);
            const migrated = await runs.migrate(each, findVersion(found, journeyName, options.to));
            const detail = { state: migrated.run.status.currentState };
            const [before, after] = [{ journeyVersion: migrated.from }, { journeyVersion: options.to }];
            if (migrated.changed) await auditRun(audit, 'run.migrated', migrated.run, { before, after, detail });
            return migrated;
          };
          if (id !== undefined) return print(options, await migrate(id), (it) => `${safe(id)} ${migratedLine(it)}`);
          if (options.journey === undefined) self.error('error: specify an id or --journey');
          const { items, more } = await selectRuns(runs, { ...options, phase: 'RUNNING' });
          const question = `Migrate ${items.length} runs to ${options.to}${more ? ' (there are more)' : ''}?`;
          if (!(await confirmed(question, options.yes, questions))) return;
          print(
            options,
            await forEachRun(items, async ({ journeyId: each }) => migratedLine(await migrate(each))),
            bulkRunsText,
          );
        }),
    );
  return [retryCommand, resetCommand, migrateCommand];
}

interface RerunOptions {
  current?: true;
  despiteCompensation?: true;
  requestId?: string;
}

function migratedLine({ run, from, changed }: MigratedRun): string {
  const { journeyVersion, status } = run;
  const words = changed
    ? `migrated from version ${from} to ${journeyVersion}`
    : `is already at version ${journeyVersion}`;
  return safe(`${words}, at ${status.currentState}`);
}

function rerunText({ run, state, repeated }: RerunResult): string {
  const words = repeated ? 'Already rerun as' : `Rerun from ${safe(state)} as`;
  return `${words} ${safe(run.journeyId)}\n\n  journeyman run watch ${idArgument(run.journeyId)}`;
}

function rerunLine({ run, state, repeated }: RerunResult): string {
  return `${repeated ? 'already rerun' : `rerun from ${state}`} as ${run.journeyId}`;
}

/** A gateway may still serve the last valid version; this process cannot know. */
function readsFolder(name: string): string {
  const start = `/api/v1/journeys/${encodeURIComponent(name)}/start`;
  return `Fix the file: this command reads the folder itself. A gateway with up --watch still serves the last valid version: POST ${start}.`;
}

/** Finds a journey in the configured folder. */
export function findJourney(name: string, found: Library): LibraryEntry {
  const entry = found.find(name);
  if (entry) return entry;
  refuseBroken(found, name, readsFolder(name));
  const near = nearestName(name, found.names());
  return refuse('JOURNEY_UNKNOWN', `There is no journey ${JSON.stringify(name)} in the configured folder.`, {
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}
