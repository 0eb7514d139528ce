import { relative } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonText, type Output, paint, safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { readApiCatalogue } from '../library/api-documents.js';
import type { FileFinding } from '../library/journeys.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { type LoadedScenario, loadScenarios } from '../scenarios/files.js';
import type { ScenarioRunner } from '../scenarios/observation.js';
import type { LoadedPipelineScenario } from '../scenarios/pipelines/files.js';
import { runPipelineScenario } from '../scenarios/pipelines/run.js';
import { mergedProfiles } from '../scenarios/read-profiles.js';
import { runScenario, type ScenarioReport } from '../scenarios/run-scenario.js';
import { virtualRunner } from '../scenarios/virtual/runner.js';
import {
  type CatalogueOptions,
  catalogueFolders,
  configOf,
  configured,
  formatOption,
  withCatalogue,
} from './options.js';

interface Options extends CatalogueOptions {
  config?: string;
  filter?: string;
  format: 'text' | 'json';
  temporal?: true;
  timeScale?: number;
}

/** Where the command prints, for tests. */
export interface TestOutput {
  out: Output;
  error: Output;
}

const examples = `
Scenarios stand beside their journey or pipeline: checkout.scenario.yaml is about checkout.journey.yaml. Time is virtual: a timer of
thirty days takes no time. With --temporal the same scenarios run through the gateway on a real server (one of its own, or
TEMPORAL_ADDRESS), against a scripted backend; times are shortened, elapsed time and states visited are not compared.

Examples:
  $ journeyman test
  $ journeyman test specs/checkout.scenario.yaml --filter timeout
  $ journeyman test --temporal
  $ journeyman test --format json

Exit codes: 0 all scenarios passed, 1 some failed, a file has errors, or there was nothing to play.`;

/** `journeyman test`: runs scenarios and says which of them pass. */
export function testCommand(streams: TestOutput = { out: process.stdout, error: process.stderr }): Command {
  return withCatalogue(configured('test'))
    .summary('run scenarios in virtual time')
    .description('Run the scenarios of journeys and compare what comes of them with what they expect.')
    .argument('[files...]', 'scenario files or folders (default: the configured specs folder)')
    .option('--filter <text>', 'only scenarios whose name, or file, contains this text')
    .addOption(formatOption())
    .option('--temporal', 'run on a real Temporal server, through the HTTP gateway')
    .addOption(
      new Option(
        '--time-scale <n>',
        'with --temporal: how much faster time passes; chosen for each scenario by default',
      )
        .argParser(positive)
        .implies({ temporal: true }),
    )
    .addHelpText('after', examples)
    .action(async (files: string[], options: Options) => {
      process.exitCode = await runTests(files, options, streams);
    });
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value >= 1)) throw new InvalidArgumentError('It must be a number of at least 1.');
  return value;
}

async function runTests(files: string[], options: Options, streams: TestOutput): Promise<number> {
  const config = configOf(options);
  const { catalogue } = await readApiCatalogue(catalogueFolders(config, options));
  const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
  const loaded = await loadScenarios(files.length > 0 ? files : [config.specs], { catalogue, words });
  const { findings } = loaded;
  const scenarios = loaded.scenarios.map((it) => ({
    ...it,
    scenario: { ...it.scenario, plugins: mergedProfiles(config.plugins, it.scenario.plugins) },
  }));
  const chosen = [...scenarios, ...loaded.pipelines].filter((it) => isChosen(it, options.filter));
  const printer = options.format === 'json' ? new JsonPrinter(streams.out) : new TextPrinter(streams);
  printer.findings(findings);
  const { runners, stop } = options.temporal ? await liveRunners(config, options.timeScale) : virtual;
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, errors: findings.length };
  try {
    const reports = inLanes(runners, chosen, async (runner, it) => await play(it, runner, options.temporal === true));
    for (const [i, it] of chosen.entries()) {
      const report = await reports[i];
      totals[report ? (report.passed ? 'passed' : 'failed') : 'skipped'] += 1;
      printer.report(it, report);
    }
  } finally {
    await stop();
  }
  printer.totals(totals);
  return totals.failed > 0 || findings.length > 0 || chosen.length === 0 ? 1 : 0;
}

type Chosen = LoadedScenario | LoadedPipelineScenario;

/** Undefined when a scenario cannot be played on a real server, and one is asked for. */
async function play(it: Chosen, runner: ScenarioRunner, live: boolean): Promise<ScenarioReport | undefined> {
  if ('pipeline' in it) return live ? undefined : await runPipelineScenario(it.pipeline, it.scenario);
  return live && it.scenario.virtualOnly ? undefined : await runScenario(it.definition, it.scenario, runner);
}

/** Works through the items, as many at a time as there are lanes; the results are in the order of the items. */
function inLanes<L, I, R>(
  lanes: readonly L[],
  items: readonly I[],
  work: (lane: L, item: I) => Promise<R>,
): Promise<R>[] {
  const answers: ((result: Promise<R>) => void)[] = [];
  const results = items.map(() => new Promise<R>((resolve) => answers.push(resolve)));
  let next = 0;
  const run = async (lane: L): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) {
      const result = work(lane, items[i]!);
      answers[i]!(result);
      await result.catch(() => undefined);
    }
  };
  for (const lane of lanes) void run(lane);
  return results;
}

const virtual = { runners: [virtualRunner], stop: async () => undefined };

/** Scenarios on a real server mostly wait, so several are played side by side. */
const liveLanes = 3;

/** A real server with workers and gateways; loaded only when asked for. */
async function liveRunners(
  config: Config,
  timeScale?: number,
): Promise<{ runners: ScenarioRunner[]; stop(): Promise<void> }> {
  const [{ LiveStack }, { LiveRunner }, { createLog }] = await Promise.all([
    import('../app/live-stack.js'),
    import('../scenarios/live/runner.js'),
    import('../app/log.js'),
  ]);
  const log = createLog({ ...config, log: { ...config.log, level: 'fatal' } });
  const first = await LiveStack.start(config, log);
  const others = Array.from({ length: liveLanes - 1 }, () => LiveStack.start(config, log, first.address));
  const stacks = [...(await Promise.all(others)), first];
  return {
    runners: stacks.map((stack) => new LiveRunner({ stack, ...(timeScale !== undefined && { timeScale }) })),
    stop: async () => {
      for (const stack of stacks) await stack.stop();
    },
  };
}

function isChosen({ scenario, file }: Chosen, filter = ''): boolean {
  const wanted = filter.toLowerCase();
  return scenario.name.toLowerCase().includes(wanted) || relative('.', file).toLowerCase().includes(wanted);
}

interface Printer {
  findings(findings: readonly FileFinding[]): void;
  /** Without a report: the scenario cannot run where the others do. */
  report(loaded: Chosen, report: ScenarioReport | undefined): void;
  totals(totals: Totals): void;
}

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  errors: number;
}

class TextPrinter implements Printer {
  private file = '';

  constructor(private readonly streams: TestOutput) {}

  findings(findings: readonly FileFinding[]): void {
    for (const { file, line, column, code, message, hint } of findings) {
      const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
      const text = `${relative('.', file)}${place} ${code} ${message}${hint ? ` (${hint})` : ''}`;
      this.streams.error.write(`${safe(text)}\n`);
    }
  }

  report({ file, scenario: { name } }: Chosen, report: ScenarioReport | undefined): void {
    const { out } = this.streams;
    const colours = paint(out);
    if (file !== this.file) out.write(`${colours.bold(relative('.', file))}\n`);
    this.file = file;
    if (!report) {
      out.write(`  ${colours.yellow('-')} ${safe(name)} ${colours.dim('(virtual time only)')}\n`);
      return;
    }
    out.write(`  ${report.passed ? colours.green('✓') : colours.red('✗')} ${safe(name)}\n`);
    for (const { subject, message, hint, line, column } of report.mismatches) {
      const place = colours.dim(`${relative('.', file)}:${line}:${column}`);
      out.write(`      ${safe(`${subject}: ${message}${hint ? ` (${hint})` : ''}`)}  ${place}\n`);
    }
  }

  totals({ passed, failed, skipped, errors }: Totals): void {
    const parts = [`${passed} passed`, `${failed} failed`];
    if (skipped > 0) parts.push(`${skipped} skipped`);
    if (errors > 0) parts.push(`${errors} ${errors === 1 ? 'error' : 'errors'} in files`);
    if (passed + failed + skipped + errors === 0) parts.splice(0, 2, 'There are no such scenarios.');
    this.streams.out.write(`${parts.join(', ')}\n`);
  }
}

class JsonPrinter implements Printer {
  private readonly scenarios: unknown[] = [];
  private errors: readonly FileFinding[] = [];

  constructor(private readonly out: Output) {}

  findings(findings: readonly FileFinding[]): void {
    this.errors = findings.map((it) => ({ ...it, file: relative('.', it.file) }));
  }

  report(it: Chosen, report: ScenarioReport | undefined): void {
    const { file, scenario } = it;
    const { outcome, phase, elapsedMs, states, calls } = report?.observation ?? {};
    this.scenarios.push({
      file: relative('.', file),
      ...('pipeline' in it ? { pipeline: it.pipeline.name } : { journey: it.definition.name }),
      name: scenario.name,
      ...(report ? { passed: report.passed, mismatches: report.mismatches } : { skipped: true }),
      ...(report?.observation && { run: { phase, status: outcome?.status, outcome, elapsedMs, states, calls } }),
    });
  }

  totals({ passed, failed, skipped }: Totals): void {
    const { errors: findings, scenarios } = this;
    this.out.write(`${jsonText({ passed, failed, skipped, findings, scenarios }, 2)}\n`);
  }
}
