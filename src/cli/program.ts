import { Command } from 'commander';
import { examplesIn, helpOf } from './help.js';
import { jsonOption, wantsJson } from './options.js';
import { version } from './package.js';

/** Each command in its own file, loaded only when it is called: `up` should not pay for what `eval` needs. */
const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  init: {
    summary: 'make a folder that works',
    load: async () => (await import('./init.js')).initCommand(),
  },
  new: {
    summary: 'add a journey of a known shape',
    load: async () => (await import('./new.js')).newCommand(),
  },
  up: {
    summary: 'run everything in one terminal: server, worker, gateway',
    load: async () => (await import('./up.js')).upCommand(),
  },
  worker: {
    summary: 'run a worker against TEMPORAL_ADDRESS',
    load: async () => (await import('./worker.js')).workerCommand(),
  },
  gateway: {
    summary: 'run a gateway against TEMPORAL_ADDRESS',
    load: async () => (await import('./gateway.js')).gatewayCommand(),
  },
  validate: {
    summary: 'check journeys and print every finding',
    load: async () => (await import('./validate.js')).validateCommand(),
  },
  fmt: {
    summary: 'bring journeys and pipelines into their canonical layout',
    load: async () => (await import('./fmt.js')).fmtCommand(),
  },
  cost: {
    summary: 'say what runs of a journey cost',
    load: async () => (await import('./cost.js')).costCommand(),
  },
  test: {
    summary: 'run scenarios in virtual time',
    load: async () => (await import('./test.js')).testCommand(),
  },
  simulate: {
    summary: 'play a journey in virtual time and show what happens',
    load: async () => (await import('./simulate.js')).simulateCommand(),
  },
  eval: {
    summary: 'evaluate an expression',
    load: async () => (await import('./eval.js')).evalCommand(),
  },
  schema: {
    summary: 'print a published JSON Schema',
    load: async () => (await import('./schema.js')).schemaCommand(),
  },
  openapi: {
    summary: 'print the OpenAPI document of a journey',
    load: async () => (await import('./export.js')).openApiCommand(),
  },
  arazzo: {
    summary: 'print the Arazzo document of a journey',
    load: async () => (await import('./export.js')).arazzoCommand(),
  },
  diff: {
    summary: 'say what breaks between two sets of journeys',
    load: async () => (await import('./diff.js')).diffCommand(),
  },
  run: {
    summary: 'start journeys, look at their runs, and go on with them',
    load: async () => (await import('./run.js')).runCommand(),
  },
  schedule: {
    summary: 'look at schedules, stop, start and change them',
    load: async () => (await import('./schedule.js')).scheduleCommand(),
  },
  job: {
    summary: 'make jobs, look at them, stop, start and change them',
    load: async () => (await import('./job.js')).jobCommand(),
  },
  pipeline: {
    summary: 'look at pipelines, publish events, stop, start and deploy them',
    load: async () => (await import('./pipeline.js')).pipelineCommand(),
  },
  queue: {
    summary: 'look at what orchestrators run, and run something once',
    load: async () => (await import('./queue.js')).queueCommand(),
  },
  doctor: {
    summary: 'say what would be used and what is missing',
    load: async () => (await import('./doctor.js')).doctorCommand(),
  },
  completion: {
    summary: 'print what completes commands in a shell',
    load: async () => (await import('./completion.js')).completionCommand(wholeProgram),
  },
};

/** The program with the command that `args` ask for, and the names of all others. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const [called, about] = args.filter((argument) => !argument.startsWith('-'));
  const wanted = called === 'help' ? about : called;
  const program = await programWith((name) => name === wanted);
  // The problem that follows says the same.
  if (wantsJson(args)) for (const it of everyCommand(program)) it.configureOutput({ writeErr: () => undefined });
  return program;
}

/** The program with all its commands, for what speaks about it. */
export async function wholeProgram(): Promise<Command> {
  return programWith(() => true);
}

/** A command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

async function programWith(isWanted: (name: string) => boolean): Promise<Command> {
  const program = new Command('journeyman')
    .description('Durable business flows written as YAML journeys, executed on Temporal.')
    .version(version)
    .showHelpAfterError('(try --help)')
    .addHelpText('after', examples)
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = isWanted(name) ? await load() : new Command(name);
    program.addCommand(inheriting(command.name(name).summary(summary), program));
  }
  return program;
}

const examples = `
Examples:
  $ journeyman init my-journeys
  $ journeyman validate
  $ journeyman test
  $ journeyman up`;

/**
 * A command created separately takes on the program's way of reporting wrong usage, and so do its subcommands. What prints JSON takes --json
 * too; the help of a subcommand has those examples of its command that are about it.
 */
function inheriting(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  const has = (flag: string) => command.options.find(({ long }) => long === flag);
  if (has('--format')?.argChoices?.includes('json') && !has('--json')) command.addOption(jsonOption());
  for (const sub of command.commands) {
    const about = examplesIn(helpOf(command)).filter((line) => line.split(' ').includes(sub.name()));
    const title = about.length === 1 ? 'Example' : 'Examples';
    if (about.length > 0 && examplesIn(helpOf(sub)).length === 0)
      sub.addHelpText('after', `\n${title}:\n${about.map((line) => `  $ ${line}`).join('\n')}`);
    inheriting(sub, command);
  }
  return command;
}
