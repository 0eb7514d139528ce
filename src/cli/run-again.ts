import { type Command, Option } from 'commander';
import { type Paint, safe } from '../app/terminal.js';
import { nearest } from '../problems/nearest.js';
import { refuse } from '../problems/problem.js';
import { findVersion, type Library, type LibraryEntry, refuseBroken } from '../service/library.js';
import type { GoAgain, GoneAgain, MovedRun } from '../service/run-again.js';
import { confirmed, type Questions } from './form.js';
import { count, requestId } from './options.js';
import { bulkText, eachOf, type Selection, selectRuns, selects, withSelection } from './run-select.js';
import { idArgument } from './run-text.js';
import { type RunTools, told } from './run-tools.js';

/** What every command about runs takes. */
export interface Shared {
  config?: string;
  format: 'text' | 'json';
}

/** How the commands about runs are made. */
export interface Kit {
  readonly questions: Questions;
  sub(name: string, description: string): Command;
  print<T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void;
  within(options: Shared, work: (tools: RunTools) => Promise<void>): Promise<void>;
}

/** `run retry` and `run reset`: going on with runs that have ended. `run move`: with one that waits, by another version. */
export function againCommands({ sub, print, within, questions }: Kit): Command[] {
  const withAgain = (it: Command) =>
    it
      .option('--current', 'by the definition in the configured folder, instead of its own')
      .option('--despite-compensation', 'also if its compensation has undone what it did')
      .option('--request-id <id>', 'the same id for the same run is the same new run', requestId);
  const goAgain = async (
    { runs, library, audit }: RunTools,
    event: 'run.retried' | 'run.reset',
    request: Pick<GoAgain, 'id' | 'to'>,
    options: AgainOptions,
  ): Promise<GoneAgain> => {
    const { id } = request;
    const by = options.current ? findJourney((await runs.status(id)).journeyName, await library()) : undefined;
    const gone = await runs.again({
      ...request,
      ...(by && { by }),
      ...(options.despiteCompensation && { despiteCompensation: true }),
      ...(options.requestId !== undefined && { key: options.requestId }),
    });
    if (!gone.repeated) await told(audit, event, gone.run, { detail: { retryOf: id, state: gone.state } });
    return gone;
  };
  const retryCommand = withAgain(
    withSelection(
      sub('retry', 'Go on with a failed run where it failed, or with all that are selected; each as a new run.'),
    ),
  )
    .argument('[id]', 'one run; else say which')
    .option('--limit <n>', 'how many at most', count, 100)
    .option('-y, --yes', 'ask nothing')
    .action(
      async (id: string | undefined, options: Shared & Selection & AgainOptions & { yes?: true }, self: Command) =>
        within(options, async (tools) => {
          const retry = (each: string) => goAgain(tools, 'run.retried', { id: each }, options);
          if (id !== undefined) return print(options, await retry(id), againText);
          if (!selects(options)) self.error('error: say which: an id, --journey, --state or --error');
          const { items, more } = await selectRuns(tools.runs, { ...options, failed: true });
          const question = `Retry ${items.length} failed runs${more ? ' (there are more)' : ''}?`;
          if (!(await confirmed(question, options.yes, questions))) return;
          print(options, await eachOf(items, async ({ id: each }) => againLine(await retry(each))), bulkText);
        }),
    );
  const resetCommand = withAgain(sub('reset', 'Go on with a run that has ended from an earlier state, as a new run.'))
    .argument('<id>')
    .addOption(new Option('--to <state>', 'from the last time it entered this state').conflicts('visit'))
    .option('--visit <visit>', 'from this visit of a state, as `run history --json` names it')
    .action(async (id: string, options: Shared & AgainOptions & { to?: string; visit?: string }, self: Command) =>
      within(options, async (tools) => {
        const { to: state, visit } = options;
        if (state === undefined && visit === undefined) self.error('error: say where to: --to or --visit');
        const to = visit === undefined ? { state: state! } : { visit };
        print(options, await goAgain(tools, 'run.reset', { id, to }, options), againText);
      }),
    );
  const moveCommand = sub(
    'move',
    'Let a run that waits go on by another version of its journey; it stays the same run.',
  )
    .argument('[id]', 'one run; else say which')
    .option('--journey <name>', 'every run of this journey that goes on')
    .option('--state <id>', 'only those that rest in this state')
    .requiredOption('--to <version>', 'a version of its journey, in the configured folder')
    .option('--limit <n>', 'how many at most', count, 100)
    .option('-y, --yes', 'ask nothing')
    .action(async (id: string | undefined, options: Shared & Selection & { to: string; yes?: true }, self: Command) =>
      within(options, async ({ runs, library, audit }) => {
        const found = await library();
        const move = async (each: string): Promise<MovedRun> => {
          const { journeyName } = await runs.status(each);
          const moved = await runs.move(each, findVersion(found, journeyName, options.to));
          const detail = { state: moved.run.status.currentState };
          const [before, after] = [{ journeyVersion: moved.from }, { journeyVersion: options.to }];
          if (moved.changed) await told(audit, 'run.moved', moved.run, { before, after, detail });
          return moved;
        };
        if (id !== undefined) return print(options, await move(id), (moved) => `${safe(id)} ${movedLine(moved)}`);
        if (options.journey === undefined) self.error('error: say which: an id, or --journey');
        const { items, more } = await selectRuns(runs, { ...options, phase: 'RUNNING' });
        const question = `Move ${items.length} runs to ${options.to}${more ? ' (there are more)' : ''}?`;
        if (!(await confirmed(question, options.yes, questions))) return;
        print(options, await eachOf(items, async ({ id: each }) => movedLine(await move(each))), bulkText);
      }),
    );
  return [retryCommand, resetCommand, moveCommand];
}

interface AgainOptions {
  current?: true;
  despiteCompensation?: true;
  requestId?: string;
}

function movedLine({ run, from, changed }: MovedRun): string {
  const { journeyVersion, status } = run;
  const words = changed ? `moved from version ${from} to ${journeyVersion}` : `is of version ${journeyVersion} already`;
  return safe(`${words}, at ${status.currentState}`);
}

function againText({ run, state, repeated }: GoneAgain): string {
  const words = repeated ? 'It goes on already, as' : `It goes on from ${safe(state)}, as`;
  return `${words} ${safe(run.id)}\n\n  journeyman run watch ${idArgument(run.id)}`;
}

function againLine({ run, state, repeated }: GoneAgain): string {
  return `${repeated ? 'goes on already' : `goes on from ${state}`} as ${run.id}`;
}

/** A gateway may still serve what the folder held before, which this process cannot know. */
function readsFolder(name: string): string {
  const start = `/api/v1/journeys/${encodeURIComponent(name)}/start`;
  return `Mend the file: this command reads the folder itself. A gateway with up --watch starts what it was before: POST ${start}.`;
}

/** A journey of the configured folder. */
export function findJourney(name: string, found: Library): LibraryEntry {
  const entry = found.find(name);
  if (entry) return entry;
  refuseBroken(found, name, readsFolder(name));
  const near = nearest(name, found.names());
  return refuse('JOURNEY_UNKNOWN', `There is no journey called ${JSON.stringify(name)} in the configured folder.`, {
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}
