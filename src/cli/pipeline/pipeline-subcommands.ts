import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { deployPipelines } from '../../app/deploy-pipelines.js';
import { type Output, type Paint, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { type FolderLibrary, readLibrary } from '../../library/read-library.js';
import { auditedPipelines } from '../../service/audit/audited-pipelines.js';
import { eventStatuses, type Pipelines, type RequestResult, resolutions } from '../../service/pipelines-interface.js';
import { connect } from '../../temporal/connection.js';
import { TemporalPipelines } from '../../temporal/pipelines/temporal-pipelines.js';
import { printFindings } from '../author/print-findings.js';
import { jsonValue, withInput } from '../json-input-option.js';
import { commandWithConfig, configOf, countOption, formatOption, requestIdOption } from '../options.js';
import { firstItems } from '../read-first-items.js';
import { ProgressLine } from '../tables-progress-and-failures.js';
import { terminalAudit, terminalUser } from '../terminal-user-and-audit.js';
import {
  deployText,
  eventsText,
  pipelineListText,
  pipelineRunsText,
  pipelineText,
  topicsText,
} from './pipeline-text.js';

/** Output and services of the command; replaced in tests. */
export interface PipelineCommandDeps {
  out: Output;
  errors: Output;
  open(options: Shared): Promise<{ config: Config; pipelines: Pipelines; close(): Promise<void> }>;
  read(config: Config): Promise<FolderLibrary>;
}

const parts: PipelineCommandDeps = {
  out: process.stdout,
  errors: process.stderr,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const pipelines = new TemporalPipelines(client, config);
    return {
      config,
      pipelines: auditedPipelines(pipelines, terminalAudit(config), terminalUser(), randomUUID()),
      close,
    };
  },
  read: readLibrary,
};

const examples = `
The command connects to Temporal directly (TEMPORAL_ADDRESS, or else the embedded server), so it works without a gateway; a worker
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

/** `journeyman pipeline …`: manages pipelines. */
export function pipelineCommand({ out, errors, open, read }: PipelineCommandDeps = parts): Command {
  const command = new Command('pipeline')
    .description('Manage pipelines: show, deploy, pause and resume them, publish events.')
    .addHelpText('after', examples);
  const print = <T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? safeJson(value, 2) : text(value, paint(out))}\n`);
  };
  const within = async (options: Shared, work: (pipelines: Pipelines) => Promise<void>): Promise<void> => {
    const { pipelines, close } = await open(options);
    await work(pipelines).finally(close);
  };
  const sub = (name: string, description: string) =>
    commandWithConfig(name).description(description).addOption(formatOption());
  const about = (name: string, description: string) => sub(name, description).argument('<pipeline>');
  // On stderr, because the output may be JSON.
  const sayMore = (limit: number) => errors.write(`Showing the first ${limit}: use --limit for more.\n`);

  command.addCommand(
    sub('list', 'List pipelines.').action(async (options: Shared) =>
      within(options, async (pipelines) => print(options, await pipelines.list(), pipelineListText)),
    ),
  );
  command.addCommand(
    about('show', 'Show a pipeline: its active run, pending events and next runs.').action(
      async (name: string, options: Shared) =>
        within(options, async (pipelines) => print(options, await pipelines.show(name), pipelineText)),
    ),
  );
  command.addCommand(
    about('topics', 'Show the number of pending events in each topic.').action(async (name: string, options: Shared) =>
      within(options, async (pipelines) => print(options, (await pipelines.show(name)).topics, topicsText)),
    ),
  );
  command.addCommand(
    about('events', 'List events of a topic: pending ones, the oldest first, then finished ones.')
      .argument('<topic>')
      .addOption(new Option('--status <status>', 'only events with this status').choices(eventStatuses))
      .option('--limit <n>', 'maximum number', countOption, 50)
      .action(async (name: string, topic: string, options: Shared & { status?: 'pending'; limit: number }) =>
        within(options, async (pipelines) => {
          const { status, limit } = options;
          const { items, more } = await firstItems(limit, (page) =>
            pipelines.events(name, topic, { ...page, ...(status && { status }) }),
          );
          print(options, items, eventsText);
          if (more) sayMore(limit);
        }),
      ),
  );
  command.addCommand(
    withInput(
      about('publish', 'Publish an event. Publishing the same id again has no effect.'),
      'its payload',
      jsonValue,
    )
      .argument('<topic>')
      .option('--id <id>', 'id of the event (default: a new one)')
      .action(async (name: string, topic: string, options: Shared & { id?: string; input?: Json }, self: Command) => {
        const { id = randomUUID(), input: payload } = options;
        if (payload === undefined) return self.error('error: specify the payload with --input');
        await within(options, async (pipelines) => {
          const { result } = await pipelines.publish(name, { topic, id, payload });
          print(options, { topic, id, result }, () => `${safe(id)} ${result}`);
        });
      }),
  );
  command.addCommand(
    about('trigger', 'Run a producer or consumer once the active run has ended, even while the pipeline is paused.')
      .argument('<handler>')
      .option('--request-id <id>', 'idempotency key: repeating it has no further effect', requestIdOption)
      .action(async (name: string, handler: string, options: Shared & { requestId?: string }) =>
        within(options, async (pipelines) =>
          print(options, await pipelines.trigger(name, handler, options.requestId ?? randomUUID()), answeredText),
        ),
      ),
  );
  command.addCommand(
    about('pause', 'Pause a pipeline. An active run continues to its end.')
      .option('--reason <text>', 'the reason, shown with the pause')
      .action(async (name: string, options: Shared & { reason?: string }) =>
        within(options, async (pipelines) => {
          const note = `Paused by ${terminalUser()}${options.reason ? `: ${options.reason}` : ''}`;
          print(options, await pipelines.pause(name, note), answeredText);
        }),
      ),
  );
  command.addCommand(
    about('resume', 'Resume a paused pipeline.').action(async (name: string, options: Shared) =>
      within(options, async (pipelines) => print(options, await pipelines.resume(name), answeredText)),
    ),
  );
  command.addCommand(
    about('resolve', 'Resolve a suspended run, whose effects are unknown.')
      .argument('<run>')
      .argument('<how>', 'retry: run it again; did_not_happen: its events become pending again; skip: they are skipped')
      .action(async (name: string, run: string, said: string, options: Shared) => {
        const how =
          resolutions.find((it) => it === said) ??
          refuse('PIPELINE_MESSAGE_INVALID', `The resolution must be one of ${resolutions.join(', ')}, not ${said}.`);
        await within(options, async (pipelines) =>
          print(options, await pipelines.resolve(name, run, how), answeredText),
        );
      }),
  );
  command.addCommand(
    about('runs', 'List runs, newest first, with their events and output.')
      .option('--limit <n>', 'maximum number', countOption, 20)
      .action(async (name: string, options: Shared & { limit: number }) =>
        within(options, async (pipelines) => {
          const { items, more } = await firstItems(options.limit, (page) => pipelines.runs(name, page));
          print(options, items, pipelineRunsText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    sub('deploy', 'Deploy the pipelines of the specs folder. Deployed pipelines whose document was removed are paused.')
      .argument('[pipelines...]', 'only these; no pipeline is paused then')
      .option('--take-over', 'replace pipelines that were deployed from another folder')
      .action(async (names: string[], options: Shared & { takeOver?: true }) => {
        const { config, pipelines, close } = await open(options);
        const progress = new ProgressLine(errors);
        try {
          const library = await read(config);
          if (options.format === 'text') printFindings(library);
          const unknown = names.find((it) => !library.pipelines().some(({ definition }) => definition.name === it));
          if (unknown !== undefined)
            refuse('PIPELINE_UNKNOWN', `There is no valid pipeline '${unknown}' in ${config.specs}.`, {
              hint: 'Run journeyman validate for details.',
            });
          const lines = await deployPipelines(config, library, pipelines, {
            ...(names.length > 0 && { only: names }),
            ...(options.takeOver && { takeOver: true }),
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

function answeredText({ result, run }: RequestResult): string {
  return run === undefined ? result : `${result} ${safe(run)}`;
}
