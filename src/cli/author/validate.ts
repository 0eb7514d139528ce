import { relative, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { type Output, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { Json } from '../../base/json/value.js';
import { type CodeEntry, registry } from '../../base/problems/registry.js';
import { version } from '../../config/package-info.js';
import { checkStartedJourneys } from '../../library/check-started-journeys.js';
import {
  type FileFinding,
  type LoadedJourney,
  type LoadedJourneys,
  readJourneys,
} from '../../library/read-journeys.js';
import { configuredChecks, type LibraryConfig, readReferences } from '../../library/read-library.js';
import { type LoadedPipeline, type LoadedPipelines, readPipelines } from '../../library/read-pipelines.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../options.js';
import { ProgressLine } from '../tables-progress-and-failures.js';
import { findingLine } from './print-findings.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'text' | 'json' | 'sarif' | 'github';
  strict?: true;
}

/** `journeyman validate`: checks journeys and pipelines and prints every finding. */
export function validateCommand(): Command {
  return withCatalogue(commandWithConfig('validate'))
    .summary('check journeys and pipelines and print every finding')
    .description(
      'Check files of journeys and pipelines, or all *.journey.yaml and *.pipeline.yaml (.yml, .json) below folders, and print every finding with its place.',
    )
    .argument('[files...]', 'files and folders (default: the configured specs folder)')
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'json', 'sarif', 'github']).default('text'),
    )
    .option('--strict', 'reject compatibility spellings and extensions such as kind: Pipeline')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman validate
  $ journeyman validate specs/checkout.journey.yaml --strict
  $ journeyman validate --json
  $ journeyman validate --format github
  $ journeyman validate --format sarif > findings.sarif

Exit codes: 0 no errors (warnings allowed), 1 errors, or nothing to check.`,
    )
    .action(async (paths: string[], options: Options) => {
      const config = configOf(options);
      process.exitCode = await validate(
        paths.length > 0 ? paths : [config.specs],
        { ...config, catalogue: catalogueFolders(config, options) },
        options,
      );
    });
}

async function validate(paths: readonly string[], config: LibraryConfig, { format, strict }: Options): Promise<number> {
  const { references, findings: apiFindings } = await readReferences(config);
  const options = { ...references, ...configuredChecks(config), compat: strict !== true };
  const progress = progressOf(process.stderr);
  const journeys = await readJourneys(paths, options, {
    onFile: (total) => progress.tick(`Checking ${total} files`),
  });
  progress.clear();
  const pipelines = await readPipelines(paths, journeys, { ...options, specs: config.specs });
  const started = await checkStartedJourneys(paths, journeys, { ...options, specs: config.specs });
  const findings = [...apiFindings, ...journeys.findings, ...started, ...pipelines.findings];
  const files = [...journeys.files, ...pipelines.files];
  const failed = findings.some(({ severity }) => severity === 'error') || files.length === 0;
  if (format === 'json') console.log(safeJson(asJson(files, journeys, pipelines, findings, !failed), 2));
  else if (format === 'sarif') console.log(safeJson(sarif(findings), 2));
  else if (format === 'github') process.stdout.write(annotations(findings));
  else printText(paths, files, findings, process.stdout);
  return failed ? 1 : 0;
}

/** A progress line on a terminal once the check takes longer than a second; nothing elsewhere. */
function progressOf(output: Output): { tick(message: string): void; clear(): void } {
  const line = new ProgressLine(output);
  const began = Date.now();
  return {
    tick: (message) => {
      if (output.isTTY === true && Date.now() - began > 1_000) line.update({ message });
    },
    clear: () => line.clear(),
  };
}

/** Findings as one JSON object. */
function asJson(
  files: readonly string[],
  journeys: LoadedJourneys,
  { pipelines }: LoadedPipelines,
  findings: readonly FileFinding[],
  valid: boolean,
) {
  const about = ({ file, hash, definition: { name, version, kind } }: LoadedJourney | LoadedPipeline) => ({
    file,
    kind,
    name,
    version,
    hash,
  });
  return {
    valid,
    files,
    journeys: [...journeys.byName.values()].flat().map(about),
    pipelines: pipelines.map(about),
    findings,
  };
}

function printText(
  paths: readonly string[],
  files: readonly string[],
  findings: readonly FileFinding[],
  output: Output,
): void {
  const colours = paint(output);
  for (const finding of findings) output.write(`${findingLine(finding, colours)}\n`);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (files.length === 0) {
    const names = 'files are called <name>.journey.yaml or <name>.pipeline.yaml (.yml, .json)';
    output.write(errors > 0 ? 'Nothing was checked.\n' : `No journeys in ${safe(paths.join(', '))}: ${names}.\n`);
    return;
  }
  const warnings = findings.length - errors;
  const broken = new Set(findings.filter(({ severity }) => severity === 'error').map(({ file }) => file)).size;
  const verdict = errors === 0 ? colours.green('valid') : colours.red(`${broken} not valid`);
  output.write(
    `${count(files.length, 'file')} checked, ${verdict}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.\n`,
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** Findings as SARIF 2.1.0, which code scanning shows at their lines. */
function sarif(findings: readonly FileFinding[]): Json {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'journeyman', version, rules: codes.map(rule) } },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: finding.severity,
          message: { text: sentence(finding) },
          locations: [
            { physicalLocation: { artifactLocation: { uri: uriOf(finding.file) }, region: region(finding) } },
          ],
        })),
      },
    ],
  };
}

/** The meaning of a code, as a SARIF rule. */
function rule(code: string): Json {
  const { title, hint }: Partial<CodeEntry> = (registry as Readonly<Record<string, CodeEntry>>)[code] ?? {};
  return {
    id: code,
    ...(title !== undefined && { shortDescription: { text: title } }),
    ...(hint !== undefined && { help: { text: hint } }),
  };
}

function region({ line = 1, column = 1 }: FileFinding): Json {
  return { startLine: line, startColumn: column };
}

/** Findings as workflow commands of GitHub Actions, which shows them in the pull request. */
function annotations(findings: readonly FileFinding[]): string {
  return findings
    .map((finding) => {
      const { severity, code, line = 1, column = 1 } = finding;
      const file = property(pathOf(finding.file));
      return `::${severity} file=${file},line=${line},col=${column},title=${property(code)}::${data(sentence(finding))}\n`;
    })
    .join('');
}

function sentence({ message, hint }: FileFinding): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

function pathOf(file: string): string {
  return (relative('.', file) || file).split(sep).join('/');
}

function uriOf(file: string): string {
  return pathOf(file).split('/').map(encodeURIComponent).join('/');
}

/** Escapes the text of a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
