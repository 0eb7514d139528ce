import { Command, Option } from 'commander';
import { type Paint, safe } from '../../app/safe-terminal-text.js';
import type { JsonObject } from '../../base/json/value.js';
import { jobStates } from '../../schedules/jobs/job-record.js';
import type { Caller } from '../../service/functions/function-registry.js';
import type { Automation } from '../../service/job-automation.js';
import type { JobRun, JobSummary, JobView } from '../../service/jobs-interface.js';
import { countOption, requestIdOption } from '../options.js';
import { firstItems } from '../read-first-items.js';
import { table, withHead } from '../tables-progress-and-failures.js';
import { type JobOptions, jobArguments, withJob } from './job-options.js';
import { functionsText, jobHistoryText, jobsText, jobText } from './job-text.js';
import {
  type AutomationDeps,
  automationDeps,
  printer,
  type Scoped,
  scopedCommand,
  terminalCaller,
} from './orchestrator-command-helpers.js';

const examples = `
A job runs a journey or a function of its orchestrator on a schedule. The command connects to Temporal directly, like \`schedule\`.

Examples:
  $ journeyman job create --journey hello --input '{"name":"Ada"}' --cron '0 9 * * fri' --timezone Europe/Rome --name greeting
  $ journeyman job list
  $ journeyman job history job-main-3f0c…
  $ journeyman job show job-main-3f0c… --format json | journeyman job create --file -
  $ journeyman job status
  $ journeyman job pause job-main-3f0c…
  $ journeyman job resume job-main-3f0c…
  $ journeyman job run-now job-main-3f0c…
  $ journeyman job repair job-main-3f0c…
  $ journeyman job delete job-main-3f0c…
  $ journeyman job functions
  $ journeyman job update job-main-3f0c… --misfire-policy skip_missed --clear name`;

type Changed = JobView & { changed: boolean };

/** `journeyman job …`: manages the jobs of an orchestrator, through the same functions as HTTP and plain English. */
export function jobCommand({ out, errors = process.stderr, open }: AutomationDeps = automationDeps): Command {
  const command = new Command('job')
    .description('Manage jobs: create, list, update, pause, resume, run and delete them.')
    .addHelpText('after', examples);
  const print = printer(out);
  const sayMore = (limit: number) => errors.write(`Showing the first ${limit}: use --limit for more.\n`);
  const within = async (
    options: Scoped & { requestId?: string },
    work: (
      invoke: <T>(functionId: string, args: JsonObject) => Promise<T>,
      caller: Caller,
      automation: Automation,
    ) => Promise<void>,
  ): Promise<void> => {
    const { automation, close } = await open(options);
    try {
      const caller = terminalCaller(automation, options, options.requestId);
      await work(
        async (id, args) => (await automation.functions.invoke(id, args, caller)) as never,
        caller,
        automation,
      );
    } finally {
      await close();
    }
  };
  const said = (what: (job: Changed) => string) => (job: Changed, _: Paint) =>
    job.changed ? what(job) : `${safe(job.jobId)} was already ${job.state}.`;

  command.addCommand(
    withJob(scopedCommand('create', 'Create a job.'))
      .option('--request-id <id>', 'idempotency key: repeating it returns the same job', requestIdOption)
      .action(async (options: Scoped & JobOptions & { requestId?: string }) =>
        within(options, async (invoke, { orchestrator }) => {
          const args = { orchestratorId: orchestrator.id, ...jobArguments(options) };
          print(options, await invoke<JobView>('schedule.create', args), jobText);
        }),
      ),
  );
  command.addCommand(
    scopedCommand('list', 'List the jobs of an orchestrator; deleted ones with --state deleted.')
      .addOption(new Option('--state <state>', 'only those in this state').choices(jobStates))
      .option('--limit <n>', 'maximum number', countOption, 100)
      .action(async (options: Scoped & { state?: string; limit: number }) =>
        within(options, async (invoke) => {
          const state = options.state === undefined ? {} : { state: options.state };
          const { items, more } = await firstItems(options.limit, (page) =>
            invoke<{ items: JobSummary[]; nextPageToken?: string }>('schedule.list', { ...page, ...state }),
          );
          print(options, items, jobsText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    scopedCommand('show', 'Show one job.')
      .argument('<id>')
      .action(async (jobId: string, options: Scoped) =>
        within(options, async (invoke) => print(options, await invoke<JobView>('schedule.show', { jobId }), jobText)),
      ),
  );
  command.addCommand(
    withJob(scopedCommand('update', 'Update a job; fields that are not given stay unchanged.'))
      .argument('<id>')
      .addOption(new Option('--state <state>', 'new state').choices(['enabled', 'paused', 'disabled']))
      .option(
        '--clear <field>',
        'clear a field, for example name or targetRef; repeatable',
        (field, all: string[]) => [...all, field],
        [],
      )
      .action(async (jobId: string, options: Scoped & JobOptions & { state?: string; clear: string[] }) =>
        within(options, async (invoke) => {
          const cleared = Object.fromEntries(options.clear.map((field) => [field, null]));
          const state = options.state === undefined ? {} : { state: options.state };
          const patch = { ...jobArguments(options), ...state, ...cleared };
          const job = await invoke<Changed>('schedule.update', { jobId, patch });
          print(options, job, (it) => (it.changed ? jobText(it) : `${safe(it.jobId)} is unchanged.`));
        }),
      ),
  );
  const moves: [string, string][] = [
    ['pause', 'Pause a job; no runs start until it is resumed.'],
    ['resume', 'Resume a job. Resuming does not start a run.'],
    ['delete', 'Delete a job. Its record stays readable for a while.'],
  ];
  for (const [name, description] of moves)
    command.addCommand(
      scopedCommand(name, description)
        .argument('<id>')
        .action(async (jobId: string, options: Scoped) =>
          within(options, async (invoke) =>
            print(
              options,
              await invoke<Changed>(`schedule.${name}`, { jobId }),
              said((job) => `${safe(job.jobId)} is ${job.state}.`),
            ),
          ),
        ),
    );
  command.addCommand(
    scopedCommand('repair', 'Repair drift: undo changes made with other tools.')
      .argument('<id>')
      .action(async (jobId: string, options: Scoped) =>
        within(options, async (invoke) =>
          print(options, await invoke<Changed>('schedule.repair', { jobId }), (job) =>
            job.changed ? `${safe(job.jobId)} is repaired.` : `${safe(job.jobId)} does not need repair.`,
          ),
        ),
      ),
  );
  command.addCommand(
    scopedCommand('run-now', 'Start one run now, even of a paused job. The schedule stays unchanged.')
      .argument('<id>')
      .option('--request-id <id>', 'idempotency key: repeating it returns the same run', requestIdOption)
      .action(async (jobId: string, options: Scoped & { requestId?: string }) =>
        within(options, async (invoke) =>
          print(options, await invoke<{ executionId: string }>('schedule.run_now', { jobId }), (it) =>
            safe(it.executionId),
          ),
        ),
      ),
  );
  command.addCommand(
    scopedCommand('history', 'List the due times of a job and their outcomes, newest first.')
      .argument('<id>')
      .option('--limit <n>', 'maximum number', countOption, 50)
      .action(async (jobId: string, options: Scoped & { limit: number }) =>
        within(options, async (invoke) => {
          const { items, more } = await firstItems(options.limit, (page) =>
            invoke<{ items: JobRun[]; nextPageToken?: string }>('schedule.runs', { jobId, ...page }),
          );
          print(options, items, jobHistoryText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    scopedCommand('functions', 'List the functions of the orchestrator; with --json, including their schemas.').action(
      async (options: Scoped) =>
        within(options, async (_, { orchestrator }, { functions }) =>
          print(options, functions.list(orchestrator.functions), functionsText),
        ),
    ),
  );
  command.addCommand(
    scopedCommand('status', 'Show the workers that poll the orchestrator’s queue.').action(async (options: Scoped) =>
      within(options, async (_, { orchestrator }, { dispatcher }) => {
        const workers = await dispatcher.workers(orchestrator.id);
        if (workers.length === 0) process.exitCode = 1;
        print(options, { orchestratorId: orchestrator.id, workers }, (it, colours) =>
          it.workers.length === 0
            ? `No worker is polling the queue of ${safe(orchestrator.id)}; nothing runs until one is started.`
            : table(
                [['WORKER', 'LAST HEARTBEAT'], ...it.workers.map((one) => [one.identity, one.lastHeartbeatAt])],
                withHead(colours),
              ),
        );
      }),
    ),
  );
  return command;
}
