import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { readCatalogue } from '../catalogue/read.js';
import type { FileFinding } from '../journeys/read.js';
import { type LoadedScenario, loadScenarios } from '../simulator/files.js';
import type { ScenarioRunner } from '../simulator/observation.js';
import { runScenario, type ScenarioReport } from '../simulator/run-scenario.js';
import { virtualRunner } from '../simulator/virtual-runner.js';
import { configOf, configured } from './options.js';
import { type Output, paint } from './output.js';

interface Options {
  config?: string;
  filter?: string;
  format: 'text' | 'json';
}

/** What the command prints to, for tests. */
export interface TestOutput {
  out: Output;
  error: Output;
}

const examples = `
Scenarios stand beside their journey: checkout.scenario.yaml is about checkout.journey.yaml. Time is virtual: a timer of
thirty days takes no time.

Examples:
  $ journeyman test
  $ journeyman test specs/checkout.scenario.yaml --filter timeout
  $ journeyman test --format json

Exit codes: 0 all scenarios passed, 1 some failed or a file has errors.`;

/** `journeyman test`: runs scenarios and says which of them hold. */
export function testCommand(streams: TestOutput = { out: process.stdout, error: process.stderr }): Command {
  return configured('test')
    .summary('run scenarios in virtual time')
    .description('Run the scenarios of journeys and compare what comes of them with what they expect.')
    .argument('[files...]', 'scenario files or folders (default: the configured specs folder)')
    .option('--filter <text>', 'only scenarios whose name, or file, contains this text')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', examples)
    .action(async (files: string[], options: Options) => {
      process.exitCode = await runTests(files, options, virtualRunner, streams);
    });
}

async function runTests(
  files: string[],
  options: Options,
  runner: ScenarioRunner,
  streams: TestOutput,
): Promise<number> {
  const config = configOf(options);
  const { catalogue } = await readCatalogue(config.catalogue);
  const { scenarios, findings } = await loadScenarios(files.length > 0 ? files : [config.specs], { catalogue });
  const chosen = scenarios.filter((it) => isChosen(it, options.filter));
  const printer = options.format === 'json' ? new JsonPrinter(streams.out) : new TextPrinter(streams);
  printer.findings(findings);
  const reports: ScenarioReport[] = [];
  for (const loaded of chosen) {
    const report = await runScenario(loaded.definition, loaded.scenario, runner);
    reports.push(report);
    printer.report(loaded, report);
  }
  const failed = reports.filter(({ passed }) => !passed).length;
  printer.totals(reports.length - failed, failed, findings.length);
  return failed > 0 || findings.length > 0 ? 1 : 0;
}

function isChosen({ scenario, file }: LoadedScenario, filter = ''): boolean {
  const wanted = filter.toLowerCase();
  return scenario.name.toLowerCase().includes(wanted) || relative('.', file).toLowerCase().includes(wanted);
}

interface Printer {
  findings(findings: readonly FileFinding[]): void;
  report(loaded: LoadedScenario, report: ScenarioReport): void;
  totals(passed: number, failed: number, errors: number): void;
}

class TextPrinter implements Printer {
  private file = '';

  constructor(private readonly streams: TestOutput) {}

  findings(findings: readonly FileFinding[]): void {
    for (const { file, line, column, code, message, hint } of findings) {
      const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
      this.streams.error.write(`${relative('.', file)}${place} ${code} ${message}${hint ? ` (${hint})` : ''}\n`);
    }
  }

  report({ file }: LoadedScenario, { name, passed, mismatches }: ScenarioReport): void {
    const { out } = this.streams;
    const colours = paint(out);
    if (file !== this.file) out.write(`${colours.bold(relative('.', file))}\n`);
    this.file = file;
    out.write(passed ? `  ${colours.green('✓')} ${name}\n` : `  ${colours.red('✗')} ${name}\n`);
    for (const { subject, message, hint, line, column } of mismatches) {
      const place = colours.dim(`${relative('.', file)}:${line}:${column}`);
      out.write(`      ${subject}: ${message}${hint ? ` (${hint})` : ''}  ${place}\n`);
    }
  }

  totals(passed: number, failed: number, errors: number): void {
    const trouble = errors > 0 ? `, ${errors} ${errors === 1 ? 'error' : 'errors'} in files` : '';
    this.streams.out.write(`${passed} passed, ${failed} failed${trouble}\n`);
  }
}

class JsonPrinter implements Printer {
  private readonly scenarios: unknown[] = [];
  private errors: readonly FileFinding[] = [];

  constructor(private readonly out: Output) {}

  findings(findings: readonly FileFinding[]): void {
    this.errors = findings.map((it) => ({ ...it, file: relative('.', it.file) }));
  }

  report({ file, definition }: LoadedScenario, { name, passed, mismatches, observation }: ScenarioReport): void {
    const { outcome, phase, elapsedMs, states, calls } = observation ?? {};
    this.scenarios.push({
      file: relative('.', file),
      journey: definition.name,
      name,
      passed,
      mismatches,
      ...(observation && { run: { phase, status: outcome?.status, outcome, elapsedMs, states, calls } }),
    });
  }

  totals(passed: number, failed: number): void {
    this.out.write(
      `${JSON.stringify({ passed, failed, findings: this.errors, scenarios: this.scenarios }, null, 2)}\n`,
    );
  }
}
