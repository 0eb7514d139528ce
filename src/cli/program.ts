import { Command } from 'commander';
import { version } from '../config/package-info.js';
import { jsonOption, wantsJson } from './options.js';

/** All commands. Each is loaded only when called, so that `up` does not load the modules of `eval`. */
const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  init: {
    summary: 'scaffold a project',
    load: async () => (await import('./author/init.js')).initCommand(),
  },
  new: {
    summary: 'add a journey from a template',
    load: async () => (await import('./author/new.js')).newCommand(),
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
    load: async () => (await import('./author/validate.js')).validateCommand(),
  },
  fmt: {
    summary: 'format journeys and pipelines',
    load: async () => (await import('./author/fmt.js')).fmtCommand(),
  },
  cost: {
    summary: 'estimate the cost of runs of a journey',
    load: async () => (await import('./author/cost.js')).costCommand(),
  },
  test: {
    summary: 'run scenarios in virtual time',
    load: async () => (await import('./author/test/test.js')).testCommand(),
  },
  simulate: {
    summary: 'simulate a run in virtual time',
    load: async () => (await import('./author/simulate/simulate.js')).simulateCommand(),
  },
  eval: {
    summary: 'evaluate an expression',
    load: async () => (await import('./author/eval/eval.js')).evalCommand(),
  },
  schema: {
    summary: 'print a published JSON Schema',
    load: async () => (await import('./author/print-schema.js')).schemaCommand(),
  },
  openapi: {
    summary: 'print the OpenAPI document of a journey',
    load: async () => (await import('./author/export-openapi-and-arazzo.js')).openApiCommand(),
  },
  arazzo: {
    summary: 'print the Arazzo document of a journey',
    load: async () => (await import('./author/export-openapi-and-arazzo.js')).arazzoCommand(),
  },
  types: {
    summary: 'write TypeScript types of journeys',
    load: async () => (await import('./author/types.js')).typesCommand(),
  },
  graph: {
    summary: 'draw a journey or a pipeline',
    load: async () => (await import('./author/graph.js')).graphCommand(),
  },
  playground: {
    summary: 'write the playground as a static site',
    load: async () => (await import('./author/playground.js')).playgroundCommand(),
  },
  diff: {
    summary: 'compare two sets of journeys and report breaking changes',
    load: async () => (await import('./author/diff.js')).diffCommand(),
  },
  run: {
    summary: 'start journeys and manage their runs',
    load: async () => (await import('./run/run-subcommands.js')).runCommand(),
  },
  schedule: {
    summary: 'manage schedules',
    load: async () => (await import('./schedule/schedule-subcommands.js')).scheduleCommand(),
  },
  job: {
    summary: 'manage jobs',
    load: async () => (await import('./job/job-subcommands.js')).jobCommand(),
  },
  pipeline: {
    summary: 'manage pipelines and publish events',
    load: async () => (await import('./pipeline/pipeline-subcommands.js')).pipelineCommand(),
  },
  queue: {
    summary: 'list the runs of orchestrators, or add one',
    load: async () => (await import('./job/queue-command.js')).queueCommand(),
  },
  doctor: {
    summary: 'check this machine and the configuration',
    load: async () => (await import('./doctor/doctor.js')).doctorCommand(),
  },
  completion: {
    summary: 'print a shell completion script',
    load: async () => (await import('./shell-completion.js')).completionCommand(wholeProgram),
  },
};

/** Creates the program with the command named in `args` loaded, and stubs for the others. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const [called, about] = args.filter((argument) => !argument.startsWith('-'));
  const wanted = called === 'help' ? about : called;
  const program = await programWith((name) => name === wanted);
  // The JSON problem printed afterwards contains the message.
  if (wantsJson(args)) for (const it of everyCommand(program)) it.configureOutput({ writeErr: () => undefined });
  return program;
}

/** Creates the program with all commands loaded, for completion scripts and tests. */
export async function wholeProgram(): Promise<Command> {
  return programWith(() => true);
}

/** A command and all its subcommands. */
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
 * Applies the program's settings for usage errors to a command and its subcommands. Adds `--json` where `--format json` exists, and copies
 * the examples that concern a subcommand into its help.
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

/** The output of a command's `--help`. */
export function helpOf(command: Command): string {
  let text = '';
  const { writeOut } = command.configureOutput();
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  command.configureOutput({ ...(writeOut && { writeOut }) });
  return text;
}

/** The example commands in a help text. */
export function examplesIn(help: string): string[] {
  return [...help.matchAll(/^ +\$ (.+)$/gm)].map(([, line]) => line!);
}
