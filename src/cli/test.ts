import { writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Output } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { type CatalogueOptions, configOf, configured, withCatalogue } from './options.js';
import { reaches } from './test-coverage.js';
import { JsonPrinter, JunitPrinter, type Printer, TextPrinter, together } from './test-report.js';
import { runSession, type SessionOptions, type SessionResult } from './test-session.js';
import { watchTests } from './test-watch.js';

interface Options extends CatalogueOptions, SessionOptions {
  config?: string;
  format: 'text' | 'json' | 'junit';
  junit?: string;
  coverageThreshold?: number;
  watch?: true;
  record?: string;
  out?: string;
}

/** Where the command prints, for tests. */
export interface TestOutput {
  out: Output;
  error: Output;
}

const examples = `
Scenarios stand beside their journey or pipeline: checkout.scenario.yaml is about checkout.journey.yaml. Time is virtual: a timer of
thirty days takes no time. With --temporal the same scenarios run through the gateway on a real server (one of its own, or
TEMPORAL_ADDRESS), against a scripted backend, their schedules and pipelines too; times are shortened, elapsed time and states visited are
not compared.

Examples:
  $ journeyman test
  $ journeyman test specs/checkout.journey.yaml --filter timeout
  $ journeyman test --watch
  $ journeyman test --coverage --coverage-threshold 80 --junit report.xml
  $ journeyman test --temporal
  $ journeyman test --format json
  $ journeyman test --record d94BEkXp0Mev9dKy59xgbg --out specs/checkout.recorded.scenario.yaml

Exit codes: 0 all scenarios passed, 1 some failed, a file has errors, there was nothing to play, or the coverage is below the threshold.`;

/** `journeyman test`: runs scenarios and says which of them pass. */
export function testCommand(streams: TestOutput = { out: process.stdout, error: process.stderr }): Command {
  return withCatalogue(configured('test'))
    .summary('run scenarios in virtual time')
    .description('Run the scenarios of journeys and compare what comes of them with what they expect.')
    .argument('[files...]', 'scenario files, journeys or pipelines, folders (default: the configured specs folder)')
    .option('--filter <text>', 'only scenarios whose name, or file, contains this text')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json', 'junit']).default('text'))
    .option('--junit <file>', 'also write the results as JUnit XML into this file')
    .option('--coverage', 'say which states and transitions no scenario reaches')
    .addOption(
      new Option('--coverage-threshold <percent>', 'fail below this share of states, or of transitions')
        .argParser(percent)
        .implies({ coverage: true }),
    )
    .addOption(
      new Option('--watch', 'play again what a changed file touches, until Ctrl-C').conflicts([
        'temporal',
        'timeScale',
      ]),
    )
    .addOption(
      new Option('--temporal', 'run on a real Temporal server, through the HTTP gateway').conflicts([
        'coverage',
        'coverageThreshold',
      ]),
    )
    .addOption(
      new Option(
        '--time-scale <n>',
        'with --temporal: how much faster time passes; chosen for each scenario by default',
      )
        .argParser(positive)
        .implies({ temporal: true }),
    )
    .option(
      '--record <run>',
      'write the scenario of a real run, by its id, beside its journey; values that look like secrets are replaced',
    )
    .option('--out <file>', 'with --record: where to write it')
    .addHelpText('after', examples)
    .action(async (files: string[], options: Options) => {
      const config = configOf(options);
      const paths = files.length > 0 ? files : [config.specs];
      if (options.record !== undefined) {
        const { recordRun } = await import('./test-record.js');
        const { record: run, ...rest } = options;
        return await recordRun(run, paths, config, rest, streams);
      }
      if (options.watch)
        return await watchTests(paths, config, options, (some) => session(some, config, options, streams));
      const result = await session(paths, config, options, streams);
      process.exitCode = exitCode(result, options, streams);
    });
}

async function session(paths: readonly string[], config: Config, options: Options, streams: TestOutput) {
  return await runSession(paths, config, options, printerFor(options, streams));
}

function printerFor({ format, junit }: Options, streams: TestOutput): Printer {
  const main =
    format === 'json'
      ? new JsonPrinter(streams.out)
      : format === 'junit'
        ? new JunitPrinter((text) => streams.out.write(text))
        : new TextPrinter(streams);
  return junit === undefined ? main : together([main, new JunitPrinter((text) => writeFileSync(junit, text))]);
}

function exitCode({ totals, coverage }: SessionResult, { coverageThreshold: least }: Options, { error }: TestOutput) {
  const { passed, failed, skipped, errors } = totals;
  if (coverage && least !== undefined && !reaches(coverage, least)) {
    const { states, transitions } = coverage;
    error.write(
      `The coverage is below ${least} %: states ${states.percent} %, transitions ${transitions.percent} %.\n`,
    );
    return 1;
  }
  return failed > 0 || errors > 0 || passed + failed + skipped === 0 ? 1 : 0;
}

function percent(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 100)) throw new InvalidArgumentError('It must be a number from 0 to 100.');
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value >= 1)) throw new InvalidArgumentError('It must be a number of at least 1.');
  return value;
}
