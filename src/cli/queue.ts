import { Command, Option } from 'commander';
import { safe } from '../app/terminal.js';
import { type Phase, phases } from '../scheduling/jobs/envelope.js';
import type { Automation } from '../service/automation.js';
import { enqueue } from '../service/functions/enqueue.js';
import type { JobRun } from '../service/jobs.js';
import {
  type AutomationParts,
  automationParts,
  printer,
  type Scoped,
  scopedCommand,
  terminalCaller,
} from './automation.js';
import { type JobOptions, targetOf, withTarget } from './job-options.js';
import { jobRunText, queueText } from './job-text.js';
import { upTo } from './operator.js';
import { count, requestId } from './options.js';

const examples = `
Examples:
  $ journeyman queue list --phase processing
  $ journeyman queue show run-main-000624ea… -o main
  $ journeyman queue add -o main --journey hello --input '{"name":"Ada"}'`;

/** `journeyman queue …`: what orchestrators run. */
export function queueCommand({ out, errors = process.stderr, open }: AutomationParts = automationParts): Command {
  const command = new Command('queue')
    .description('Look at what orchestrators run, and run something once.')
    .addHelpText('after', examples);
  const print = printer(out);
  const within = async (options: Scoped, work: (automation: Automation) => Promise<void>): Promise<void> => {
    const { automation, close } = await open(options);
    await work(automation).finally(close);
  };
  command.addCommand(
    scopedCommand('list', 'List what is in the queues, newest first: of all orchestrators unless one is named.')
      .addOption(new Option('--phase <phase>', 'only runs in this phase').choices(phases))
      .option('--limit <n>', 'how many at most', count, 50)
      .action(async (options: Scoped & { phase?: Phase; limit: number }) =>
        within(options, async (automation) => {
          const named = options.orchestrator !== undefined || options.profile !== undefined;
          const scope = named ? { orchestratorId: terminalCaller(automation, options).orchestrator.id } : {};
          const { items, more } = await upTo(options.limit, (page) =>
            automation.dispatcher.queue({ ...page, ...scope, ...(options.phase && { phase: options.phase }) }),
          );
          print(options, items, queueText);
          if (more) errors.write(`There are more than these ${options.limit}: use --limit.\n`);
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
    withTarget(scopedCommand('add', 'Run a journey or a function of an orchestrator once, now.'))
      .option('--request-id <id>', 'the same id is the same run', requestId)
      .action(async (options: Scoped & JobOptions & { requestId?: string }, self: Command) =>
        within(options, async (automation) => {
          const targetAction = targetOf(options) ?? self.error('error: say what: --journey or --function');
          const caller = terminalCaller(automation, options, options.requestId);
          const started = await enqueue(automation, { targetAction, targetRef: options.targetRef ?? null }, caller);
          print(options, started, ({ executionId }) => safe(executionId));
        }),
      ),
  );
  return command;
}
