import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { type Output, type Paint, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { JsonObject } from '../../base/json/value.js';
import { readLibrary } from '../../library/read-library.js';
import { previewOf } from '../../schedules/preview-from-request.js';
import { auditedSchedules } from '../../service/audit/audited-schedules.js';
import { findVersion, type Library } from '../../service/library-interface.js';
import { inBulk } from '../../service/operation/bulk-schedule-changes.js';
import { readReason, type ScheduleState, type Schedules, scheduleStates } from '../../service/schedules-interface.js';
import { connect } from '../../temporal/connection.js';
import { TemporalSchedules } from '../../temporal/schedules/bindings/temporal-bindings.js';
import { commandWithConfig, configOf, countOption, formatOption, requestIdOption } from '../options.js';
import { firstItems } from '../read-first-items.js';
import { terminalAudit, terminalUser } from '../terminal-user-and-audit.js';
import { sayCommand } from './plain-english-command.js';
import {
  bulkSchedulesText,
  previewText,
  scheduleDetailsText,
  scheduledRunsText,
  scheduleListText,
} from './schedule-text.js';

/** Output and services of the command; replaced in tests. */
export interface ScheduleCommandDeps {
  out: Output;
  errors?: Output;
  open(options: {
    config?: string;
  }): Promise<{ schedules: Schedules; library(): Promise<Library>; close(): Promise<void> }>;
}

const parts: ScheduleCommandDeps = {
  out: process.stdout,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const schedules = new TemporalSchedules(client, config);
    return {
      schedules: auditedSchedules(schedules, terminalAudit(config), terminalUser(), randomUUID()),
      library: () => readLibrary(config),
      close,
    };
  },
};

const examples = `
The command connects to Temporal directly (TEMPORAL_ADDRESS, or else the embedded server), so it works without a gateway.
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
  $ journeyman schedule migrate payment-3vQ… --to 2.0.0
  $ journeyman schedule say 'run triage every Friday at 9am' --context context.json
  $ journeyman schedule preview --cron '30 2 * * *' --timezone Europe/Berlin --count 5`;

interface Shared {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman schedule …`: manages schedules. */
export function scheduleCommand({ out, errors = process.stderr, open }: ScheduleCommandDeps = parts): Command {
  const command = new Command('schedule')
    .description('Manage schedules: list, show, pause, resume, update, migrate, repair and delete them.')
    .addHelpText('after', examples);
  const print = <T>(options: Shared, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? safeJson(value, 2) : text(value, paint(out))}\n`);
  };
  // On stderr, because the output may be JSON.
  const sayMore = (limit: number) => errors.write(`Showing the first ${limit}: use --limit for more.\n`);
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
    print(options, items, bulkSchedulesText);
    if (items.some(({ problem }) => problem)) process.exitCode = 1;
  };
  const sub = (name: string, description: string) =>
    commandWithConfig(name).description(description).addOption(formatOption());

  command.addCommand(
    sub('list', 'List schedules.')
      .option('--journey <name>', 'only schedules of this journey')
      .option('--subject <id>', 'only of this subject')
      .addOption(new Option('--state <state>', 'only those in this state').choices(scheduleStates))
      .option('--limit <n>', 'maximum number', countOption, 100)
      .action(async (options: Shared & ListOptions) =>
        within(options, async (schedules) => {
          const { items, more } = await listSchedules(schedules, options);
          print(options, items, scheduleListText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    sub('show', 'Show one schedule with its context and its runs.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async (schedules) => print(options, await schedules.show(id), scheduleDetailsText)),
      ),
  );
  command.addCommand(
    sub('runs', 'List the runs of a schedule, newest first.')
      .argument('<id>')
      .option('--limit <n>', 'maximum number', countOption, 50)
      .action(async (id: string, options: Shared & { limit: number }) =>
        within(options, async (schedules) => {
          const { items, more } = await firstItems(options.limit, (page) => schedules.runs(id, page));
          print(options, items, scheduledRunsText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  for (const action of ['pause', 'resume'] as const) {
    const text = 'Pause a schedule; no runs start until it is resumed.';
    const many = (name: string, description: string) =>
      sub(name, description)
        .argument('[id]', 'one schedule; otherwise select several')
        .option('--journey <name>', 'all schedules of this journey')
        .option('--subject <id>', 'all schedules of this subject');
    command.addCommand(
      many(action, action === 'pause' ? text : 'Resume a schedule. Resuming does not start a run.')
        .option('--reason <text>', 'the reason, shown with the pause', readReason)
        .action(async (id: string | undefined, options: Shared & Whose & { reason?: string }) =>
          within(options, async (schedules) => {
            const reason = options.reason ?? `${action === 'pause' ? 'Paused' : 'Resumed'} with the CLI`;
            const one = (each: string) => schedules[action](each, reason, terminalUser());
            if (id === undefined) return await bulk(options, schedules, one);
            const view = await one(id);
            print(options, view, () =>
              view.changed ? `${safe(id)} is ${view.state}.` : `${safe(id)} was already ${view.state}.`,
            );
          }),
        ),
    );
    if (action === 'resume') continue;
    command.addCommand(
      many('delete', 'Delete a schedule. An active run continues.').action(
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
    sub('repair', 'Repair drift: undo changes made with other tools.')
      .argument('<id>')
      .action(async (id: string, options: Shared) =>
        within(options, async (schedules) => {
          const view = await schedules.repair(id, terminalUser());
          print(options, view, () =>
            view.changed
              ? `${safe(id)} is repaired.\n\n${scheduleDetailsText(view)}`
              : `${safe(id)} does not need repair.`,
          );
        }),
      ),
  );
  command.addCommand(
    sub('run-now', 'Start one run now; it counts towards maxRuns.')
      .argument('<id>')
      .option('--request-id <id>', 'idempotency key: repeating it returns the same run', requestIdOption)
      .action(async (id: string, options: Shared & { requestId?: string }) =>
        within(options, async (schedules) => {
          const started = await schedules.runNow(id, options.requestId ?? randomUUID());
          print(options, started, ({ executionId }) => safe(executionId));
        }),
      ),
  );
  command.addCommand(
    sub('update', 'Change the cadence or the maximum number of runs.')
      .argument('<id>')
      .addOption(new Option('--interval <duration>', 'an ISO-8601 duration, like P1M').conflicts(['cron', 'timezone']))
      .addOption(
        new Option('--anchor <time>', 'instant that the interval is counted from, if not --start-at').conflicts([
          'cron',
          'timezone',
        ]),
      )
      .option('--cron <expression>', 'five fields, instead of an interval')
      .option('--timezone <zone>', 'time zone of the cron expression, like Europe/Rome')
      .option('--start-at <time>', 'RFC 3339 timestamp of the first run; with cron, no run starts before it')
      .option('--max-runs <n>', 'maximum number of runs', countOption)
      .action(async (id: string, { config, format, ...patch }: Shared & JsonObject) => {
        const options: Shared = { format, ...(config !== undefined && { config }) };
        await within(options, async (schedules) =>
          print(options, await schedules.update(id, patch, terminalUser()), scheduleDetailsText),
        );
      }),
  );
  command.addCommand(
    sub('migrate', 'Migrate a schedule to another version of its journey, keeping context, run count and pause.')
      .argument('<id>')
      .requiredOption('--to <version>', 'a version of its journey in the configured folder')
      .action(async (id: string, options: Shared & { to: string }) =>
        within(options, async (schedules, library) => {
          const { journeyName } = await schedules.show(id);
          const view = await schedules.migrate(
            id,
            findVersion(await library(), journeyName, options.to),
            terminalUser(),
          );
          const words = view.changed ? 'migrated to' : 'was already migrated to';
          print(options, view, () => `${safe(id)} ${words} ${safe(view.scheduleId)}.\n\n${scheduleDetailsText(view)}`);
        }),
      ),
  );
  command.addCommand(
    sub('preview', 'Preview the runs of a cadence; nothing is created.')
      .addOption(new Option('--every <duration>', 'a duration, like P1M or 15m').conflicts(['cron', 'at']))
      .addOption(new Option('--start-at <time>', 'anchor of the interval').conflicts(['cron', 'at']))
      .addOption(new Option('--cron <expression>', 'five fields, with --timezone').conflicts('at'))
      .option('--at <time>', 'run once, at this time')
      .option('--timezone <zone>', 'time zone of the cron expression and of the output')
      .option('--from <time>', 'start of the preview (default: now)')
      .option('--count <n>', 'number of runs, at most 100', countOption, 10)
      .action((options: Shared & PreviewOptions, self: Command) => {
        if ([options.every, options.cron, options.at].every((it) => it === undefined))
          self.error('error: specify --every, --cron or --at');
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

async function listSchedules(schedules: Schedules, { journey, subject, state, limit }: ListOptions) {
  return await firstItems(limit, (page) =>
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
