import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { safe } from '../app/terminal.js';
import { formatDocument } from '../document/format.js';
import { sourceFindings } from '../document/locate.js';
import { parseSource } from '../document/parse.js';
import type { Json } from '../json/value.js';
import { type FileFinding, filesIn, pipelineFile, unreadable } from '../library/files.js';
import { findingLine } from './findings.js';
import { configOf, configured } from './options.js';
import { schemas } from './schema.js';

interface Options {
  config?: string;
  check?: true;
}

/** `journeyman fmt`: bring documents into their canonical layout. */
export function fmtCommand(): Command {
  return configured('fmt')
    .summary('bring journeys and pipelines into their canonical layout')
    .description(
      'Write files of journeys and pipelines, or all below folders, in their canonical layout: keys in the order of the language, two spaces. Comments stay, and so does what they mean.',
    )
    .argument('[files...]', 'files and folders, or - for a journey on stdin (default: the configured specs folder)')
    .option('--check', 'change nothing; name the files that would change')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman fmt
  $ journeyman fmt --check specs
  $ journeyman fmt - < specs/checkout.journey.yaml

Exit codes: 0 all well, 1 a file is not valid YAML or JSON, or with --check not in its layout.`,
    )
    .action(async (paths: string[], options: Options) => {
      process.exitCode = paths.includes('-') ? await formatStdin(options) : await formatFiles(paths, options);
    });
}

async function formatStdin(options: Options): Promise<number> {
  const text = await readAll(process.stdin);
  const { formatted, findings } = await format('-', text, options);
  for (const finding of findings) console.error(findingLine(finding));
  if (formatted === undefined) return 1;
  if (options.check) return formatted === text ? 0 : 1;
  process.stdout.write(formatted);
  return 0;
}

async function formatFiles(paths: readonly string[], options: Options): Promise<number> {
  const given = paths.length > 0 ? paths : [configOf(options).specs];
  const { files, findings } = await filesIn(given, /\.(journey|pipeline)\.(ya?ml|json)$/i, () => true);
  let changed = 0;
  for (const file of files) {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      findings.push(unreadable(file, (error as Error).message));
      continue;
    }
    const result = await format(file, text, options);
    findings.push(...result.findings);
    if (result.formatted === undefined || result.formatted === text) continue;
    changed++;
    if (!options.check) await writeFile(file, result.formatted);
    console.log(safe(`${relative('.', file) || file} ${options.check ? 'is not in its layout' : 'written'}`));
  }
  for (const finding of findings) console.error(findingLine(finding));
  const done = options.check ? 'would change' : 'changed';
  console.log(`${files.length} ${files.length === 1 ? 'file' : 'files'}, ${changed} ${done}.`);
  return findings.length > 0 || (options.check === true && changed > 0) ? 1 : 0;
}

/** The canonical text, or what is wrong with the given one. */
async function format(
  file: string,
  text: string,
  options: Options,
): Promise<{ formatted?: string; findings: FileFinding[] }> {
  const path = file === '-' && text.trimStart().startsWith('{') ? 'stdin.json' : file;
  const source = parseSource(text, path);
  const findings = sourceFindings(source).map((finding) => ({ file, ...finding }));
  if (source.value === undefined || findings.length > 0) return { findings };
  const kind = pipelineFile.test(file) || isPipeline(source.value) ? 'pipeline' : 'journey';
  return { formatted: formatDocument(text, await schemas[kind]!(options), path), findings: [] };
}

function isPipeline(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value.kind === 'Pipeline';
}
