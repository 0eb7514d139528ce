import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { deployPipelines } from '../app/pipelines.js';
import { jsonText, type Output, type Paint, paint, safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import type { Json } from '../json/value.js';
import { type FolderLibrary, readLibrary } from '../library/library.js';
import { refuse } from '../problems/problem.js';
import { auditedPipelines } from '../service/audited-pipelines.js';
import { type Answered, eventStatuses, type Pipelines, resolutions } from '../service/pipelines.js';
import { connect } from '../temporal/connection.js';
import { TemporalPipelines } from '../temporal/pipelines/pipelines.js';
import { printFindings } from './findings.js';
import { jsonValue, withInput } from './input.js';
import { terminalAudit, upTo, whoami } from './operator.js';
import { configOf, configured, count, formatOption, requestId } from './options.js';
import { ProgressLine } from './output.js';
import { deployText, eventsText, runsText, summariesText, topicsText, viewText } from './pipeline-text.js';

/** Where the command prints, and what it talks to; for tests. */
export interface PipelineParts {
  out: Output;
  errors: Output;
  open(options: Shared): Promise<{ config: Config; pipelines: Pipelines; close(): Promise<void> }>;
  read(config: Config): Promise<FolderLibrary>;
}

const parts: PipelineParts = {
  out: process.stdout,
  errors: process.stderr,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const pipelines = new TemporalPipelines(client, config);
    return { config, pipelines: auditedPipelines(pipelines, terminalAudit(config), whoami(), randomUUID()), close };
  },
  read: readLibrary,
};

const examples = `
The command talks to the Temporal service itself (TEMPORAL_ADDRESS, else the embedded server), so it works while no gateway runs; a worker
must be running. \`temporal workflow signal --workflow-id pipeline.<name> --name pause|resume|trigger|resolve|publish\` does the same.

Examples:
  $ journeyman pipeline list
  $ journeyman pipeline show inbox
  $ journeyman pipeline topics inbox
  $ journeyman pipeline runs inbox
  $ journeyman pipeline pause inbox --reason 'the mail service moves'
  $ journeyman pipeline resume inbox
  $ journeyman pipeline publish inbox mails --id m-17 --input '{"from": "ada@example.org"}'
  $ journeyman pipeline trigger inbox poll
  $ journeyman pipeline events inbox mails --status pending
  $ journeyman pipeline resolve inbox answer-0f3c… retry
  $ journeyman pipeline deploy`;

interface Shared {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman pipeline …`: everything an operator does with pipelines. */
export function pipelineCommand({ out, errors, open, read }: PipelineParts = parts): Command {
  const command = new Command('pipeline')
    .description('Look at pipelines, publish events to them, stop and start them, deploy them.')
    .addHelpText('after', examples);
  const print = <T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? jsonText(value, 2) : text(value, paint(out))}\n`);
  };
  const within = async (options: Shared, work: (pipelines: Pipelines) => Promise<void>): Promise<void> => {
    const { pipelines, close } = await open(options);
    await work(pipelines).finally(close);
  };
  const sub = (name: string, description: string) =>
    configured(name).description(description).addOption(formatOption());
  const about = (name: string, description: string) => sub(name, description).argument('<pipeline>');
  // Not in the output itself: that may be JSON that another program reads.
  const sayMore = (limit: number) => errors.write(`There are more than these ${limit}: use --limit.\n`);

  command.addCommand(
    sub('list', 'List pipelines.').action(async (options: Shared) =>
      within(options, async (pipelines) => print(options, await pipelines.list(), summariesText)),
    ),
  );
  command.addCommand(
    about('show', 'Show a pipeline: what runs, what waits, what comes next.').action(
      async (name: string, options: Shared) =>
        within(options, async (pipelines) => print(options, await pipelines.show(name), viewText)),
    ),
  );
  command.addCommand(
    about('topics', 'Show how many events wait in each topic.').action(async (name: string, options: Shared) =>
      within(options, async (pipelines) => print(options, (await pipelines.show(name)).topics, topicsText)),
    ),
  );
  command.addCommand(
    about('events', 'List events of a topic: those that wait, the oldest first, then those that are over.')
      .argument('<topic>')
      .addOption(new Option('--status <status>', 'only those').choices(eventStatuses))
      .option('--limit <n>', 'how many at most', count, 50)
      .action(async (name: string, topic: string, options: Shared & { status?: 'pending'; limit: number }) =>
        within(options, async (pipelines) => {
          const { status, limit } = options;
          const { items, more } = await upTo(limit, (page) =>
            pipelines.events(name, topic, { ...page, ...(status && { status }) }),
          );
          print(options, items, eventsText);
          if (more) sayMore(limit);
        }),
      ),
  );
  command.addCommand(
    withInput(about('publish', 'Publish an event. The same id again is the same event.'), 'its payload', jsonValue)
      .argument('<topic>')
      .option('--id <id>', 'names the event; a new id unless given')
      .action(async (name: string, topic: string, options: Shared & { id?: string; input?: Json }, self: Command) => {
        const { id = randomUUID(), input: payload } = options;
        if (payload === undefined) return self.error('error: say what is published: --input');
        await within(options, async (pipelines) => {
          const { result } = await pipelines.publish(name, { topic, id, payload });
          print(options, { topic, id, result }, () => `${safe(id)} ${result}`);
        });
      }),
  );
  command.addCommand(
    about('trigger', 'Run a producer or consumer as soon as nothing else runs; also while the pipeline is paused.')
      .argument('<handler>')
      .option('--request-id <id>', 'the same id is the same request', requestId)
      .action(async (name: string, handler: string, options: Shared & { requestId?: string }) =>
        within(options, async (pipelines) =>
          print(options, await pipelines.trigger(name, handler, options.requestId ?? randomUUID()), answeredText),
        ),
      ),
  );
  command.addCommand(
    about('pause', 'Let nothing run by itself. What runs goes on to its end.')
      .option('--reason <text>', 'why, for whoever looks at it next')
      .action(async (name: string, options: Shared & { reason?: string }) =>
        within(options, async (pipelines) => {
          const note = `Paused by ${whoami()}${options.reason ? `: ${options.reason}` : ''}`;
          print(options, await pipelines.pause(name, note), answeredText);
        }),
      ),
  );
  command.addCommand(
    about('resume', 'Let it run by itself again.').action(async (name: string, options: Shared) =>
      within(options, async (pipelines) => print(options, await pipelines.resume(name), answeredText)),
    ),
  );
  command.addCommand(
    about('resolve', 'Decide about a suspended run: nobody knows what it did in the world.')
      .argument('<run>')
      .argument('<how>', 'retry: run it again; did_not_happen: its events wait again; skip: they are left out')
      .action(async (name: string, run: string, said: string, options: Shared) => {
        const how =
          resolutions.find((it) => it === said) ??
          refuse('PIPELINE_MESSAGE_INVALID', `It is one of ${resolutions.join(', ')}, not ${said}.`);
        await within(options, async (pipelines) =>
          print(options, await pipelines.resolve(name, run, how), answeredText),
        );
      }),
  );
  command.addCommand(
    about('runs', 'List runs, the newest first, with what they were given and gave.')
      .option('--limit <n>', 'how many at most', count, 20)
      .action(async (name: string, options: Shared & { limit: number }) =>
        within(options, async (pipelines) => {
          const { items, more } = await upTo(options.limit, (page) => pipelines.runs(name, page));
          print(options, items, runsText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    sub('deploy', 'Deploy the pipelines of the specs folder. Those it deployed before and no longer finds are paused.')
      .argument('[pipelines...]', 'only these; then none is paused')
      .action(async (names: string[], options: Shared) => {
        const { config, pipelines, close } = await open(options);
        const progress = new ProgressLine(errors);
        try {
          const library = await read(config);
          if (options.format === 'text') printFindings(library);
          const unknown = names.find((it) => !library.pipelines().some(({ definition }) => definition.name === it));
          if (unknown !== undefined)
            refuse('PIPELINE_UNKNOWN', `${config.specs} has no pipeline '${unknown}' without errors.`, {
              hint: 'journeyman validate says what is wrong.',
            });
          const lines = await deployPipelines(config, library, pipelines, {
            ...(names.length > 0 && { only: names }),
            onProgress: (name) => progress.update({ message: `Deploying ${safe(name)}` }),
          });
          progress.clear();
          print(options, lines, deployText);
          if (lines.some((line) => 'problem' in line)) process.exitCode = 1;
        } finally {
          progress.clear();
          await close();
        }
      }),
  );
  return command;
}

function answeredText({ result, run }: Answered): string {
  return run === undefined ? result : `${result} ${safe(run)}`;
}
