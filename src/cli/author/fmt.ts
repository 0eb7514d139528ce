import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Document } from 'yaml';
import { safe } from '../../app/safe-terminal-text.js';
import { formatDocument } from '../../base/document/format-yaml.js';
import { sourceFindings } from '../../base/document/locate-pointer.js';
import { parseSource } from '../../base/document/parse-yaml.js';
import type { Forms } from '../../base/document/placed-value.js';
import { writeLong, writeShort } from '../../base/document/rewrite-short-and-long-forms.js';
import type { Json } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { type JourneySource, load } from '../../language/load-journey.js';
import { type FileFinding, filesIn, pipelineFile, unreadable } from '../../library/find-files.js';
import { readReferences } from '../../library/read-library.js';
import { loadPipeline } from '../../pipelines/read/load-pipeline.js';
import { pipelineSchema } from '../../pipelines/read/pipeline-schema.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../options.js';
import { findingLine } from './print-findings.js';
import { publishedSchemas } from './print-schema.js';

interface Options extends CatalogueOptions {
  config?: string;
  check?: true;
  long?: true;
  short?: true;
}

/** A formatted file, or the findings that prevent it. */
interface Formatted {
  formatted?: string;
  findings: FileFinding[];
  /** With --long: codes of the extensions that have no other form. */
  kept?: string[];
}

type Format = (file: string, text: string) => Promise<Formatted>;

/** `journeyman fmt`: formats documents. */
export function fmtCommand(): Command {
  return withCatalogue(commandWithConfig('fmt'))
    .summary('format journeys and pipelines')
    .description(
      'Format files of journeys and pipelines, or all files in folders: keys in the order of the language, two spaces. Comments are kept.',
    )
    .argument('[files...]', 'files and folders, or - for a journey on stdin (default: the configured specs folder)')
    .option('--check', 'only list the files that would change')
    .addOption(new Option('--long', 'write the long form, which validate --strict accepts').conflicts('short'))
    .option('--short', 'write the short form: expressions, and no fields that others imply')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman fmt
  $ journeyman fmt --check specs
  $ journeyman fmt --short
  $ journeyman fmt - < specs/checkout.journey.yaml

Exit codes: 0 success, 1 a file is not valid YAML or JSON, or, with --check, is not formatted.`,
    )
    .action(async (paths: string[], options: Options) => {
      const format = await formatter(options);
      process.exitCode = paths.includes('-')
        ? await formatStdin(format, options)
        : await formatFiles(paths, format, options);
    });
}

async function formatStdin(format: Format, options: Options): Promise<number> {
  const text = await readAll(process.stdin);
  const { formatted, findings, kept = [] } = await format('-', text);
  for (const finding of findings) console.error(findingLine(finding));
  if (formatted === undefined) return 1;
  if (kept.length > 0) console.error(keptLine('stdin', kept));
  if (options.check) return formatted === text ? 0 : 1;
  process.stdout.write(formatted);
  return 0;
}

async function formatFiles(paths: readonly string[], format: Format, options: Options): Promise<number> {
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
    const result = await format(file, text);
    findings.push(...result.findings);
    if (result.kept?.length) console.log(keptLine(file, result.kept));
    if (result.formatted === undefined || result.formatted === text) continue;
    changed++;
    if (!options.check) await writeFile(file, result.formatted);
    console.log(safe(`${relative('.', file) || file} ${options.check ? 'is not formatted' : 'formatted'}`));
  }
  for (const finding of findings) console.error(findingLine(finding));
  const done = options.check ? 'would change' : 'changed';
  console.log(`${files.length} ${files.length === 1 ? 'file' : 'files'}, ${changed} ${done}.`);
  return findings.length > 0 || (options.check === true && changed > 0) ? 1 : 0;
}

/** Returns the canonical text of a file, or the findings of an invalid document. */
async function formatter(options: Options): Promise<Format> {
  const schemas = { journey: await publishedSchemas.journey!(options), pipeline: pipelineSchema };
  const otherForm = options.long || options.short ? await formWriter(options) : undefined;
  return async (file, text) => {
    const path = file === '-' && text.trimStart().startsWith('{') ? 'stdin.json' : file;
    const source = parseSource(text, path);
    const findings = sourceFindings(source).map((finding) => ({ file, ...finding }));
    if (source.value === undefined || findings.length > 0) return { findings };
    const kind = pipelineFile.test(file) || isPipeline(source.value) ? 'pipeline' : 'journey';
    const form = otherForm?.({ text, path }, kind);
    const errors = form?.errors.map((finding) => ({ file, ...finding })) ?? [];
    if (errors.length > 0) return { findings: errors };
    const formatted = formatDocument(text, schemas[kind], path, form?.rewrite);
    return { formatted, findings: [], ...(form && { kept: form.extensionsOf(formatted) }) };
  };
}

/** A document's other form, or the errors that prevent reading it. */
interface OtherForm {
  errors: Finding[];
  rewrite(document: Document): void;
  /** Codes of the extensions in the formatted text. */
  extensionsOf(formatted: string): string[];
}

const noJourneys = { find: () => undefined, names: () => [] };

/** Returns a function that finds the long or short form of a document. */
async function formWriter(options: Options): Promise<(source: JourneySource, kind: string) => OtherForm> {
  const config = configOf(options);
  const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const write = options.long ? writeLong : writeShort;
  return (source, kind) => {
    const forms: Forms = { short: [], long: [], implied: [], redundant: [], twoStates: [] };
    // A pipeline has the same forms whatever its journeys are.
    const { findings } =
      kind === 'pipeline'
        ? { ...loadPipeline(source, { ...references, forms, journeys: noJourneys }), findings: [] }
        : load(source, { ...references, forms });
    const errors = findings.filter(({ severity }) => severity === 'error');
    return {
      rewrite: (document) => write(document, forms),
      errors,
      extensionsOf(formatted) {
        if (!options.long || kind === 'pipeline') return [];
        const strict = load({ ...source, text: formatted }, { ...references, compat: false });
        return [...new Set(strict.findings.map(({ code }) => code))].filter((code) => code.endsWith('_EXTENSION'));
      },
    };
  };
}

function keptLine(file: string, codes: readonly string[]): string {
  return safe(`${relative('.', file) || file} keeps extensions without a long form: ${codes.join(', ')}`);
}

function isPipeline(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value.kind === 'Pipeline';
}
