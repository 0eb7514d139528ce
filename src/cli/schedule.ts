import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { jsonText, type Output, type Paint, paint, safe } from '../app/terminal.js';
import type { JsonObject } from '../json/value.js';
import { readLibrary } from '../library/library.js';
import { previewOf } from '../scheduling/preview-request.js';
import { auditedSchedules } from '../service/audited-schedules.js';
import { findVersion, type Library } from '../service/library.js';
import { inBulk } from '../service/schedule-bulk.js';
import { readReason, type ScheduleState, type Schedules, scheduleStates } from '../service/schedules.js';
import { connect } from '../temporal/connection.js';
import { TemporalSchedules } from '../temporal/schedules/manage.js';
import { terminalAudit, upTo, whoami } from './operator.js';
import { configOf, configured, count, formatOption, requestId } from './options.js';
import { sayCommand } from './say.js';
import { bulkText, previewText, runsText, summariesText, viewText } from './schedule-text.js';

/** Where the command prints, and what it talks to; for tests. */
export interface ScheduleParts {
  out: Output;
  errors?: Output;
  open(options: {
    config?: string;
  }): Promise<{ schedules: Schedules; library(): Promise<Library>; close(): Promise<void> }>;
}

const parts: ScheduleParts = {
  out: process.stdout,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const schedules = new TemporalSchedules(client, config);
    return {
      schedules: auditedSchedules(schedules, terminalAudit(config), whoami(), randomUUID()),
      library: () => readLibrary(config),
      close,
    };
  },
};

const examples = `
The command talks to the Temporal service itself (TEMPORAL_ADDRESS, else the embedded server), so it works while no gateway runs.
\`temporal schedule list|describe|toggle|trigger|delete\` work on the same schedules.

Examples:
  $ journeyman schedule list --subject u-17 --state active
  $ journeyman schedule show payment-3vQ…
  $ journeyman schedule runs payment-3vQ… --limit 20
  $ journeyman schedule pause payment-3vQ… --reason 'the bank is closed'
  $ journeyman schedule resume --journey payment --subject u-17
  $ journeyman schedule run-now payment-3vQ…
  $ journeyman schedule repair payment-3vQ…
  $ journeyman schedule delete payment-3vQ…
  $ journeyman schedule update payment-3vQ… --max-runs 24 --interval P1M
  $ journeyman schedule update payment-3vQ… --cron '0 2 * * *' --timezone Europe/Rome
  $ journeyman schedule move payment-3vQ… --to 2.0.0
  $ journeyman schedule say 'run triage every Friday at 9am' --context context.json
  $ journeyman schedule preview --cron '30 2 * * *' --timezone Europe/Berlin --count 5`;

interface Shared {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman schedule …`: everything an operator does with schedules. */
export function scheduleCommand({ out, errors = process.stderr, open }: ScheduleParts = parts): Command {
  const command = new Command('schedule')
    .description('Look at schedules, stop, start and change them.')
    .addHelpText('after', examples);
  const print = <T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? jsonText(value, 2) : text(value, paint(out))}\n`);
  };
  // Not in the output itself: that may be JSON that another program reads.
  const sayMore = (limit: number) => errors.write(`There are more than these ${limit}: use --limit.\n`);
  const within = async (
    options: Shared,
    work: (schedules: Schedules, library: () => Promise<Library>) => Promise<void>,
  ): Promise<void> => {
    const { schedules, library, close } = await open(options);
    await work(schedules, library).finally(close);
  };
  const bulk = async (options: Shared & Whose, schedules: Schedules, one: Parameters<typeof inBulk>[2]) => {
    const { journey, subject } = options;
    const filter = {
      ...(journey !== undefined && { journeyName: journey }),
      ...(subject !== undefined && { subjectId: subject }),
    };
    const { items } = await inBulk(schedules, filter, one);
    print(options, items, bulkText);
    if (items.some(({ problem }) => problem)) process.exitCode = 1;
  };
  const sub = (name: string, description: string) =>
    configured(name).description(description).addOption(formatOption());

  command.addCommand(
    sub('list', 'List schedules.')
      .option('--journey <name>', 'only of this journey')
      .option('--subject <id>', 'only of this subject')
      .addOption(new Option('--state <state>', 'only those in this state').choices(scheduleStates))
      .option('--limit <n>', 'how many at most', count, 100)
      .action(async (options: Shared & ListOptions) =>
        within(options, async (schedules) => {
          const { items, more } = await listed(schedules, options);
          print(options, items, summariesText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    sub('show', 'Show one schedule with its context and its runs.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async (schedules) => print(options, await schedules.show(id), viewText)),
      ),
  );
  command.addCommand(
    sub('runs', 'List the runs of a schedule, newest first.')
      .argument('<id>')
      .option('--limit <n>', 'how many at most', count, 50)
      .action(async (id: string, options: Shared & { limit: number }) =>
        within(options, async (schedules) => {
          const { items, more } = await upTo(options.limit, (page) => schedules.runs(id, page));
          print(options, items, runsText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  for (const action of ['pause', 'resume'] as const) {
    const text = 'Let it start no runs.';
    const many = (name: string, description: string) =>
      sub(name, description)
        .argument('[id]', 'one schedule; else say whose')
        .option('--journey <name>', 'every one of this journey')
        .option('--subject <id>', 'every one of this subject');
    command.addCommand(
      many(action, action === 'pause' ? text : 'Let it start runs again; none starts because of it.')
        .option('--reason <text>', 'why, for whoever looks at it next', readReason)
        .action(async (id: string | undefined, options: Shared & Whose & { reason?: string }) =>
          within(options, async (schedules) => {
            const reason = options.reason ?? `${action === 'pause' ? 'Paused' : 'Resumed'} with the CLI`;
            const one = (each: string) => schedules[action](each, reason, whoami());
            if (id === undefined) return await bulk(options, schedules, one);
            const view = await one(id);
            print(options, view, () =>
              view.changed ? `${safe(id)} is ${view.state}.` : `${safe(id)} was ${view.state} already.`,
            );
          }),
        ),
    );
    if (action === 'resume') continue;
    command.addCommand(
      many('delete', 'Delete a schedule. A run that is active goes on.').action(
        async (id: string | undefined, options: Shared & Whose) =>
          within(options, async (schedules) => {
            const one = async (each: string) => {
              await schedules.delete(each);
              return { changed: true, state: 'deleted' as const };
            };
            if (id === undefined) return await bulk(options, schedules, one);
            await one(id);
            print(options, { deleted: id }, () => `${safe(id)} is deleted.`);
          }),
      ),
    );
  }
  command.addCommand(
    sub('repair', 'Make it do again what it says, when something else changed it.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async (schedules) => {
          const view = await schedules.repair(id, whoami());
          print(options, view, () =>
            view.changed ? `${safe(id)} is repaired.\n\n${viewText(view)}` : `${safe(id)} needs no repair.`,
          );
        }),
      ),
  );
  command.addCommand(
    sub('run-now', 'Start one run now; it counts towards maxRuns.')
      .argument('<id>')
      .option('--request-id <id>', 'the same id is the same run', requestId)
      .action(async (id: string, options: Shared & { requestId?: string }) =>
        within(options, async (schedules) => {
          const started = await schedules.runNow(id, options.requestId ?? randomUUID());
          print(options, started, ({ executionId }) => safe(executionId));
        }),
      ),
  );
  command.addCommand(
    sub('update', 'Change when it runs, and how often in all.')
      .argument('<id>')
      .addOption(new Option('--interval <duration>', 'an ISO-8601 duration, like P1M').conflicts(['cron', 'timezone']))
      .option('--cron <expression>', 'five fields in place of an interval')
      .option('--timezone <zone>', 'whose clock counts for cron, like Europe/Rome')
      .option(
        '--start-at <time>',
        'an RFC 3339 timestamp that the runs are counted from; with cron, nothing runs before it',
      )
      .option('--max-runs <n>', 'how many runs in all', count)
      .action(async (id: string, { config, format, ...patch }: Shared & JsonObject) => {
        const options: Shared = { format, ...(config !== undefined && { config }) };
        await within(options, async (schedules) =>
          print(options, await schedules.update(id, patch, whoami()), viewText),
        );
      }),
  );
  command.addCommand(
    sub('move', 'Put a schedule of another version in its place, with its context, count and pause.')
      .argument('<id>')
      .requiredOption('--to <version>', 'the version of its journey, in the configured folder')
      .action(async (id: string, options: Shared & { to: string }) =>
        within(options, async (schedules, library) => {
          const { journeyName } = await schedules.show(id);
          const view = await schedules.move(id, findVersion(await library(), journeyName, options.to), whoami());
          const words = view.changed ? 'moved to' : 'was moved already to';
          print(options, view, () => `${safe(id)} ${words} ${safe(view.scheduleId)}.\n\n${viewText(view)}`);
        }),
      ),
  );
  command.addCommand(
    sub('preview', 'Say when a cadence would run; nothing is made.')
      .addOption(new Option('--every <duration>', 'a duration, like P1M or 15m').conflicts(['cron', 'at']))
      .addOption(new Option('--start-at <time>', 'what an interval is counted from').conflicts(['cron', 'at']))
      .addOption(new Option('--cron <expression>', 'five fields, with --timezone').conflicts('at'))
      .option('--at <time>', 'once, at this time')
      .option('--timezone <zone>', 'whose clock counts for cron, and is shown')
      .option('--from <time>', 'look from here on instead of from now')
      .option('--count <n>', 'how many, at most 100', count, 10)
      .action((options: Shared & PreviewOptions, self: Command) => {
        if ([options.every, options.cron, options.at].every((it) => it === undefined))
          self.error('error: say when: --every, --cron or --at');
        print(options, previewOf(previewBody(options), Date.now()), previewText);
      }),
  );
  command.addCommand(sayCommand(out));
  return command;
}

interface Whose {
  journey?: string;
  subject?: string;
}

interface ListOptions {
  journey?: string;
  subject?: string;
  state?: ScheduleState;
  limit: number;
}

async function listed(schedules: Schedules, { journey, subject, state, limit }: ListOptions) {
  return await upTo(limit, (page) =>
    schedules.list({
      ...page,
      ...(journey !== undefined && { journeyName: journey }),
      ...(subject !== undefined && { subjectId: subject }),
      ...(state !== undefined && { state }),
    }),
  );
}

interface PreviewOptions {
  every?: string;
  startAt?: string;
  cron?: string;
  at?: string;
  timezone?: string;
  from?: string;
  count: number;
}

function previewBody({ every, startAt, cron, at, timezone, from, count }: PreviewOptions): JsonObject {
  const cadence: JsonObject =
    cron !== undefined
      ? { type: 'cron', expression: cron, ...(timezone !== undefined && { timezone }) }
      : at !== undefined
        ? { type: 'once', runAt: at }
        : {
            type: 'interval',
            ...(every !== undefined && { every }),
            ...(startAt !== undefined && { anchorAt: startAt }),
          };
  return {
    cadence,
    count,
    ...(timezone !== undefined && { timezone }),
    ...(from !== undefined && { from }),
  };
}
