import { type Command, Option } from 'commander';
import { jsonText, type Output, paint, safe } from '../app/terminal.js';
import { type FileFinding, type Journeys, type LoadedJourney, readJourneysWith } from '../library/journeys.js';
import { loadLimits, profilesOf } from '../library/library.js';
import { type LoadedPipeline, type Pipelines, readPipelines } from '../library/pipelines.js';
import { findingLine } from './findings.js';
import { type CatalogueOptions, catalogueFolders, configOf, configured, withCatalogue } from './options.js';
import { ProgressLine } from './output.js';
import { annotations, sarif } from './validate-formats.js';
import { type LoadingSources, loadingOf, readInThreads } from './validate-threads.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'text' | 'json' | 'sarif' | 'github';
  strict?: true;
}

/** `journeyman validate`: check journeys against the language and print every finding. */
export function validateCommand(): Command {
  return withCatalogue(configured('validate'))
    .summary('check journeys and pipelines and print every finding')
    .description(
      'Check files of journeys and pipelines, or all *.journey.yaml and *.pipeline.yaml (.yml, .json) below folders, and print every finding with its place.',
    )
    .argument('[files...]', 'files and folders (default: the configured specs folder)')
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json', 'sarif', 'github']).default('text'),
    )
    .option('--strict', 'refuse compatibility spellings and extensions such as kind: Pipeline')
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
      const { specs, limits, plugins } = config;
      process.exitCode = await validate(paths.length > 0 ? paths : [specs], options, {
        folders: catalogueFolders(config, options),
        plugins: plugins.modules,
        baseDir: config.source.baseDir,
        compat: options.strict !== true,
        ...loadLimits(limits),
        profiles: profilesOf(plugins),
      });
    });
}

async function validate(
  paths: readonly string[],
  { format }: Pick<Options, 'format'>,
  sources: LoadingSources,
): Promise<number> {
  const { options, findings: apiFindings } = await loadingOf(sources);
  const progress = progressOf(process.stderr);
  const journeys = await readJourneysWith(paths, (files) =>
    readInThreads(files, sources, options, () => progress.tick(`Checking ${files.length} files`)),
  );
  progress.clear();
  const pipelines = await readPipelines(paths, journeys, options);
  const findings = [...apiFindings, ...journeys.findings, ...pipelines.findings];
  const files = [...journeys.files, ...pipelines.files];
  const failed = findings.some(({ severity }) => severity === 'error') || files.length === 0;
  if (format === 'json') console.log(jsonText(asJson(files, journeys, pipelines, findings, !failed), 2));
  else if (format === 'sarif') console.log(jsonText(sarif(findings), 2));
  else if (format === 'github') process.stdout.write(annotations(findings));
  else printText(paths, files, findings, process.stdout);
  return failed ? 1 : 0;
}

/** A line on a terminal for what takes longer than a second; nothing elsewhere. */
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

/** Findings as one JSON object, for tools. */
function asJson(
  files: readonly string[],
  journeys: Journeys,
  { pipelines }: Pipelines,
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
  const verdict = errors === 0 ? colours.green('valid') : colours.red(`${broken} of them not valid`);
  output.write(
    `${count(files.length, 'file')} checked, ${verdict}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.\n`,
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
