import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Output } from '../../../app/safe-terminal-text.js';
import type { Config } from '../../../config/config-types.js';
import { journeyFile } from '../../../library/read-journeys.js';
import { watchPaths } from '../../../library/watch-files.js';
import { documentsNamed, scenarioFiles } from '../../../scenarios/load-scenarios.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../../options.js';
import { meetsThreshold } from './coverage-report.js';
import { combinePrinters, JsonPrinter, JunitPrinter, type Printer, TextPrinter } from './result-printers.js';
import { runSession, type SessionOptions, type SessionResult } from './run-test-session.js';

const documents = /\.(ya?ml|json)$/i;

/** Runs all scenarios, then those affected by each change, until Ctrl-C. */
async function watchTests(
  paths: readonly string[],
  config: Config,
  options: SessionOptions,
  play: (paths: readonly string[]) => Promise<SessionResult>,
): Promise<void> {
  const about = new Map((await play(paths)).about);
  const { root, overlays = [] } = catalogueFolders(config, options);
  const apis = [...(root === undefined ? [] : [root]), ...overlays];
  const watcher = watchPaths([...paths, ...apis], async (files) => {
    const written = files.filter((it) => documents.test(it));
    const touched = await scenarioFilesAffectedBy(written, paths, about);
    if (touched.length === 0) return;
    process.stdout.write('\n');
    for (const [scenarios, document] of (await play(touched)).about) about.set(scenarios, document);
  });
  process.stderr.write('Watching for changes; press Ctrl-C to stop.\n');
  await new Promise<void>((ended) => process.once('SIGINT', ended).once('SIGTERM', ended));
  watcher.close();
}

/**
 * The scenario files affected by changed files: those files themselves, those that test a changed journey or pipeline, those of pipelines
 * if a journey changed. A changed OpenAPI document affects all.
 */
export async function scenarioFilesAffectedBy(
  changed: readonly string[],
  paths: readonly string[],
  about: ReadonlyMap<string, string | undefined>,
): Promise<string[]> {
  const files = new Set(changed.map((it) => resolve(it)));
  const all = (await Promise.all(paths.map((path) => scenarioFiles(path).catch(() => [])))).flat();
  const isOther = (file: string) => documents.test(file) && !/\.(journey|pipeline|scenario)\./i.test(file);
  if ([...files].some(isOther)) return all;
  return all.filter((file) => {
    const document = about.get(file);
    // A file whose document is unknown may test a new file.
    if (files.has(resolve(file)) || document === undefined) return true;
    if (files.has(resolve(document))) return true;
    return /\.pipeline\./i.test(document) && [...files].some((it) => journeyFile.test(it));
  });
}

interface Options extends CatalogueOptions, SessionOptions {
  config?: string;
  format: 'text' | 'json' | 'junit';
  junit?: string;
  coverageThreshold?: number;
  watch?: true;
  record?: string;
  out?: string;
}

/** Output of the command; replaced in tests. */
export interface TestOutput {
  out: Output;
  error: Output;
}

const examples = `
Scenarios are files beside their journey or pipeline: checkout.scenario.yaml tests checkout.journey.yaml. Time is virtual: a timer of
thirty days takes no time. With --temporal, the same scenarios run through the gateway on a real server (a temporary one, or
TEMPORAL_ADDRESS) against a scripted backend, with their schedules and pipelines; times are shortened; elapsed time and visited states are
not compared.

Examples:
  $ journeyman test
  $ journeyman test checkout --filter timeout
  $ journeyman test --watch
  $ journeyman test --coverage --coverage-threshold 80 --junit report.xml
  $ journeyman test --temporal
  $ journeyman test --format json
  $ journeyman test --record d94BEkXp0Mev9dKy59xgbg --out specs/checkout.recorded.scenario.yaml

Exit codes: 0 all scenarios passed, 1 some failed, a file has errors, no scenario was found, or the coverage is below the threshold.`;

/** `journeyman test`: runs scenarios. */
export function testCommand(streams: TestOutput = { out: process.stdout, error: process.stderr }): Command {
  return withCatalogue(commandWithConfig('test'))
    .summary('run scenarios in virtual time')
    .description('Run the scenarios of journeys and compare the results with their expectations.')
    .argument(
      '[files...]',
      'names or files of journeys and pipelines, scenario files, folders (default: the configured specs folder)',
    )
    .option('--filter <text>', 'only scenarios whose name, or file, contains this text')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json', 'junit']).default('text'))
    .option('--junit <file>', 'also write the results as JUnit XML into this file')
    .option('--coverage', 'report states and transitions that no scenario reaches')
    .addOption(
      new Option('--coverage-threshold <percent>', 'fail below this share of states, or of transitions')
        .argParser(percent)
        .implies({ coverage: true }),
    )
    .addOption(
      new Option('--watch', 'rerun the scenarios affected by each change, until Ctrl-C').conflicts([
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
        'with --temporal: factor by which time is faster (default: chosen for each scenario)',
      )
        .argParser(positive)
        .implies({ temporal: true }),
    )
    .option(
      '--record <run>',
      'write a scenario of the real run with this id beside its journey; values that look like secrets are replaced',
    )
    .option('--out <file>', 'with --record: target file')
    .addHelpText('after', examples)
    .action(async (files: string[], options: Options) => {
      const config = configOf(options);
      const paths = files.length > 0 ? await pathsOf(files, config.specs) : [config.specs];
      if (options.record !== undefined) {
        const { recordRun } = await import('./record-scenario-from-run.js');
        const { record: run, ...rest } = options;
        return await recordRun(run, paths, config, rest, streams);
      }
      if (options.watch)
        return await watchTests(paths, config, options, (some) => session(some, config, options, streams));
      const result = await session(paths, config, options, streams);
      process.exitCode = exitCode(result, options, streams);
    });
}

/** Arguments as paths: one that is not a path is the name of a journey or pipeline. */
async function pathsOf(files: readonly string[], specs: string): Promise<string[]> {
  const paths = files.map(async (it) => {
    const named = existsSync(it) ? [] : await documentsNamed(it, specs);
    return named.length > 0 ? named : [it];
  });
  return (await Promise.all(paths)).flat();
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
  return junit === undefined ? main : combinePrinters([main, new JunitPrinter((text) => writeFileSync(junit, text))]);
}

function exitCode({ totals, coverage }: SessionResult, { coverageThreshold: least }: Options, { error }: TestOutput) {
  const { passed, failed, skipped, errors } = totals;
  if (coverage && least !== undefined && !meetsThreshold(coverage, least)) {
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
