import { Command } from 'commander';
import { wantsJson } from './options.js';
import { version } from './version.js';

/** Each command in its own file, loaded only when it is called: `up` should not pay for what `eval` needs. */
const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
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
  test: {
    summary: 'run scenarios in virtual time',
    load: async () => (await import('./test.js')).testCommand(),
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
};

/** The program with the command that `args` ask for, and the names of all others. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const program = new Command('journeyman')
    .description('Durable business flows written as YAML journeys, executed on Temporal.')
    .version(version)
    .showHelpAfterError('(try --help)')
    .exitOverride();
  // The problem that follows says the same.
  if (wantsJson(args)) program.configureOutput({ writeErr: () => undefined });
  const [called, about] = args.filter((argument) => !argument.startsWith('-'));
  const wanted = called === 'help' ? about : called;
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = name === wanted ? await load() : new Command(name);
    program.addCommand(inheriting(command.name(name).summary(summary), program));
  }
  return program;
}

/** A command created separately takes on the program's way of reporting wrong usage, and so do its subcommands. */
function inheriting(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  for (const sub of command.commands) inheriting(sub, from);
  return command;
}
