#!/usr/bin/env node
import { Command } from 'commander';
import { reportFailure } from './failure.js';
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
  schedule: {
    summary: 'look at schedules, stop, start and change them',
    load: async () => (await import('./schedule.js')).scheduleCommand(),
  },
  doctor: {
    summary: 'say what would be used and what is missing',
    load: async () => (await import('./doctor.js')).doctorCommand(),
  },
};

const program = new Command('journeyman')
  .description('Durable business flows written as YAML journeys, executed on Temporal.')
  .version(version)
  .showHelpAfterError('(try --help)');

const called = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
for (const [name, { summary, load }] of Object.entries(commands)) {
  const command = name === called ? await load() : new Command(name);
  program.addCommand(command.name(name).summary(summary));
}
if (called === undefined && process.argv.length <= 2) program.help();

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
  // What was half started (a connection that keeps trying, Temporal's native threads) must not keep a failed command alive.
  process.exit(1);
}
