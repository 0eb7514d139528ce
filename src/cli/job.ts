import { Command, Option } from 'commander';
import { type Paint, safe } from '../app/terminal.js';
import type { JsonObject } from '../json/value.js';
import { jobStates } from '../scheduling/jobs/record.js';
import type { Automation } from '../service/automation.js';
import type { Caller } from '../service/functions/registry.js';
import type { JobRun, JobSummary, JobView } from '../service/jobs.js';
import {
  type AutomationParts,
  automationParts,
  printer,
  type Scoped,
  scopedCommand,
  terminalCaller,
} from './automation.js';
import { type JobOptions, jobArguments, withJob } from './job-options.js';
import { functionsText, historyText, jobsText, jobText } from './job-text.js';
import { upTo } from './operator.js';
import { count, requestId } from './options.js';
import { table, withHead } from './output.js';

const examples = `
A job runs a journey or a function of its orchestrator at its times. The command talks to the Temporal service itself, like \`schedule\`.

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

/** `journeyman job …`: jobs of an orchestrator, through the same functions as HTTP and plain English. */
export function jobCommand({ out, errors = process.stderr, open }: AutomationParts = automationParts): Command {
  const command = new Command('job')
    .description('Make jobs, look at them, stop, start and change them.')
    .addHelpText('after', examples);
  const print = printer(out);
  const sayMore = (limit: number) => errors.write(`There are more than these ${limit}: use --limit.\n`);
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
    job.changed ? what(job) : `${safe(job.jobId)} was ${job.state} already.`;

  command.addCommand(
    withJob(scopedCommand('create', 'Make a job.'))
      .option('--request-id <id>', 'the same id is the same job', requestId)
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
      .option('--limit <n>', 'how many at most', count, 100)
      .action(async (options: Scoped & { state?: string; limit: number }) =>
        within(options, async (invoke) => {
          const state = options.state === undefined ? {} : { state: options.state };
          const { items, more } = await upTo(options.limit, (page) =>
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
    withJob(scopedCommand('update', 'Change a job; what is not named stays as it is.'))
      .argument('<id>')
      .addOption(new Option('--state <state>', 'switch it on or off').choices(['enabled', 'paused', 'disabled']))
      .option(
        '--clear <field>',
        'name or targetRef, for example; repeatable',
        (field, all: string[]) => [...all, field],
        [],
      )
      .action(async (jobId: string, options: Scoped & JobOptions & { state?: string; clear: string[] }) =>
        within(options, async (invoke) => {
          const cleared = Object.fromEntries(options.clear.map((field) => [field, null]));
          const state = options.state === undefined ? {} : { state: options.state };
          const patch = { ...jobArguments(options), ...state, ...cleared };
          const job = await invoke<Changed>('schedule.update', { jobId, patch });
          print(options, job, (it) => (it.changed ? jobText(it) : `${safe(it.jobId)} is like that already.`));
        }),
      ),
  );
  const moves: [string, string][] = [
    ['pause', 'Let it start no runs.'],
    ['resume', 'Let it start runs again; none starts because of it.'],
    ['delete', 'End it for ever; its record stays readable for a while.'],
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
    scopedCommand('repair', 'Make it do again what it says, when something else changed it.')
      .argument('<id>')
      .action(async (jobId: string, options: Scoped) =>
        within(options, async (invoke) =>
          print(options, await invoke<Changed>('schedule.repair', { jobId }), (job) =>
            job.changed ? `${safe(job.jobId)} is repaired.` : `${safe(job.jobId)} needs no repair.`,
          ),
        ),
      ),
  );
  command.addCommand(
    scopedCommand('run-now', 'Start one run now, also of a paused job; its times stay as they are.')
      .argument('<id>')
      .option('--request-id <id>', 'the same id is the same run', requestId)
      .action(async (jobId: string, options: Scoped & { requestId?: string }) =>
        within(options, async (invoke) =>
          print(options, await invoke<{ executionId: string }>('schedule.run_now', { jobId }), (it) =>
            safe(it.executionId),
          ),
        ),
      ),
  );
  command.addCommand(
    scopedCommand('history', 'Say what became of the times of a job, newest first.')
      .argument('<id>')
      .option('--limit <n>', 'how many at most', count, 50)
      .action(async (jobId: string, options: Scoped & { limit: number }) =>
        within(options, async (invoke) => {
          const { items, more } = await upTo(options.limit, (page) =>
            invoke<{ items: JobRun[]; nextPageToken?: string }>('schedule.runs', { jobId, ...page }),
          );
          print(options, items, historyText);
          if (more) sayMore(options.limit);
        }),
      ),
  );
  command.addCommand(
    scopedCommand('functions', 'List the functions that the orchestrator may use; as JSON with their schemas.').action(
      async (options: Scoped) =>
        within(options, async (_, { orchestrator }, { functions }) =>
          print(options, functions.list(orchestrator.functions), functionsText),
        ),
    ),
  );
  command.addCommand(
    scopedCommand('status', 'Say whether workers take from the orchestrator’s queue.').action(async (options: Scoped) =>
      within(options, async (_, { orchestrator }, { dispatcher }) => {
        const workers = await dispatcher.workers(orchestrator.id);
        if (workers.length === 0) process.exitCode = 1;
        print(options, { orchestratorId: orchestrator.id, workers }, (it, colours) =>
          it.workers.length === 0
            ? `No worker takes from the queue of ${safe(orchestrator.id)}: nothing runs until one comes.`
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
