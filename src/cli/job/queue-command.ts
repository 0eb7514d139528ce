import { Command, Option } from 'commander';
import { safe } from '../../app/safe-terminal-text.js';
import { type ExecutionPhase, phases } from '../../schedules/jobs/dispatch-envelope.js';
import { enqueue } from '../../service/functions/enqueue-execution.js';
import type { Automation } from '../../service/job-automation.js';
import type { JobRun } from '../../service/jobs-interface.js';
import { countOption, requestIdOption } from '../options.js';
import { firstItems } from '../read-first-items.js';
import { type JobOptions, targetOf, withTarget } from './job-options.js';
import { jobRunText, queueText } from './job-text.js';
import {
  type AutomationDeps,
  automationDeps,
  printer,
  type Scoped,
  scopedCommand,
  terminalCaller,
} from './orchestrator-command-helpers.js';

const examples = `
Examples:
  $ journeyman queue list --phase processing
  $ journeyman queue show run-main-000624ea… -o main
  $ journeyman queue add -o main --journey hello --input '{"name":"Ada"}'`;

/** `journeyman queue …`: lists the runs of orchestrators, shows one, adds one. */
export function queueCommand({ out, errors = process.stderr, open }: AutomationDeps = automationDeps): Command {
  const command = new Command('queue')
    .description('List the runs of orchestrators, show one, or add one.')
    .addHelpText('after', examples);
  const print = printer(out);
  const within = async (options: Scoped, work: (automation: Automation) => Promise<void>): Promise<void> => {
    const { automation, close } = await open(options);
    await work(automation).finally(close);
  };
  command.addCommand(
    scopedCommand('list', 'List runs, newest first; of all orchestrators unless one is named.')
      .addOption(new Option('--phase <phase>', 'only runs in this phase').choices(phases))
      .option('--limit <n>', 'maximum number', countOption, 50)
      .action(async (options: Scoped & { phase?: ExecutionPhase; limit: number }) =>
        within(options, async (automation) => {
          const named = options.orchestrator !== undefined || options.profile !== undefined;
          const scope = named ? { orchestratorId: terminalCaller(automation, options).orchestrator.id } : {};
          const { items, more } = await firstItems(options.limit, (page) =>
            automation.dispatcher.queue({ ...page, ...scope, ...(options.phase && { phase: options.phase }) }),
          );
          print(options, items, queueText);
          if (more) errors.write(`Showing the first ${options.limit}: use --limit for more.\n`);
        }),
      ),
  );
  command.addCommand(
    scopedCommand('show', 'Show one run of an orchestrator.')
      .argument('<execution-id>')
      .action(async (runId: string, options: Scoped) =>
        within(options, async (automation) => {
          const caller = terminalCaller(automation, options);
          const run = await automation.functions.invoke('workflow.status', { runId }, caller);
          print(options, run as JobRun & { output: unknown }, jobRunText);
        }),
      ),
  );
  command.addCommand(
    withTarget(scopedCommand('add', 'Run a journey or a function of an orchestrator once, immediately.'))
      .option('--request-id <id>', 'idempotency key: repeating it returns the same run', requestIdOption)
      .action(async (options: Scoped & JobOptions & { requestId?: string }, self: Command) =>
        within(options, async (automation) => {
          const targetAction = targetOf(options) ?? self.error('error: specify --journey or --function');
          const caller = terminalCaller(automation, options, options.requestId);
          const started = await enqueue(automation, { targetAction, targetRef: options.targetRef ?? null }, caller);
          print(options, started, ({ executionId }) => safe(executionId));
        }),
      ),
  );
  return command;
}
