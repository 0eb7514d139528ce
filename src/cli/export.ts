import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { type Output, safe } from '../app/terminal.js';
import type { Definition } from '../definition/definition.js';
import { didYouMean } from '../document/suggest.js';
import { arazzoOf } from '../exports/arazzo.js';
import { openApiOf } from '../exports/openapi.js';
import type { JsonObject } from '../json/value.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { gatewayDocument } from '../library/gateway-document.js';
import { type Journeys, readJourneys } from '../library/journeys.js';
import { loadLimits } from '../library/library.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { refuse } from '../problems/problem.js';
import { printFindings } from './findings.js';
import { type CatalogueOptions, catalogueFolders, configOf, configured, withCatalogue } from './options.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'yaml' | 'json';
  all?: true;
  out?: string;
  server?: string;
}

/** A kind of document that can be made of a journey; undefined where it cannot. */
type Export = (definition: Definition, options: Options) => Promise<JsonObject | undefined>;

/** `journeyman openapi`: the OpenAPI document of each journey and Api. */
export function openApiCommand(out: Output = process.stdout): Command {
  return exportCommand('openapi', 'OpenAPI 3.1', out, async (definition, { server }) =>
    openApiOf(definition, (await gatewayDocument()).value, server),
  ).addOption(
    new Option('--server <url>', 'where the gateway is (default: the host that the document comes from)').argParser(
      serverUrl,
    ),
  );
}

/** `journeyman arazzo`: the Arazzo document of each journey. */
export function arazzoCommand(out: Output = process.stdout): Command {
  return exportCommand('arazzo', 'Arazzo 1.0', out, async (definition, { format }) =>
    definition.kind === 'Journey' ? arazzoOf(definition, `${definition.name}.openapi.${format}`) : undefined,
  );
}

/** The URL of a gateway, without a slash at its end. */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return text.replace(/\/+$/, '');
  return refuse('USAGE_INVALID', `--server does not take "${text}".`, {
    hint: 'Give a URL without query, like https://journeys.example.com.',
  });
}

function exportCommand(name: string, kind: string, out: Output, make: Export): Command {
  return withCatalogue(configured(name))
    .description(`Print the ${kind} document of a journey, or write those of several into a folder. It stands alone.`)
    .argument('[journeys...]', 'names of journeys in the configured specs folder, or files and folders')
    .addOption(new Option('--format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'))
    .option('--all', 'every journey in the configured specs folder')
    .option('--out <folder>', `write <name>.${name}.yaml or .json there`)
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman ${name} checkout
  $ journeyman ${name} specs/checkout.journey.yaml --format json
  $ journeyman ${name} --all --out api`,
    )
    .action(async (wanted: string[], options: Options) => {
      const definitions = await definitionsOf(wanted, options);
      const made: { name: string; text: string }[] = [];
      for (const definition of definitions) {
        const document = await make(definition, options);
        if (document) made.push({ name: definition.name, text: textOf(document, options.format) });
        else if (wanted.includes(definition.name) || definitions.length === 1)
          refuse('EXPORT_NOT_POSSIBLE', `${definition.name} is an Api: one call needs no workflow.`);
      }
      if (options.out === undefined) {
        if (made.length !== 1)
          refuse('USAGE_INVALID', `${made.length} documents need a folder.`, { hint: 'Add --out.' });
        out.write(made[0]!.text);
        return;
      }
      await mkdir(options.out, { recursive: true });
      for (const it of made) {
        const file = join(options.out, `${it.name}.${name}.${options.format}`);
        await writeFile(file, it.text);
        out.write(`${safe(file)}\n`);
      }
    });
}

/** The newest version of each journey that was asked for, in the order of their names where there are several in a folder. */
async function definitionsOf(wanted: readonly string[], options: Options): Promise<Definition[]> {
  if (wanted.length === 0 && !options.all)
    return refuse('USAGE_INVALID', 'Which journey?', { hint: 'Name one, or a file or folder, or say --all.' });
  const config = configOf(options);
  const { catalogue, findings } = await readApiCatalogue(catalogueFolders(config, options));
  const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
  const read = (paths: readonly string[]) => readJourneys(paths, { catalogue, words, ...loadLimits(config.limits) });
  const paths = wanted.filter((it) => existsSync(it));
  const names = wanted.filter((it) => !existsSync(it));
  const given: Journeys[] = paths.length > 0 ? [await read(paths)] : [];
  const library = names.length > 0 || options.all ? await read([config.specs]) : undefined;
  const chosen = new Map(given.flatMap(newest));
  for (const [name, definition] of library ? newest(library) : [])
    if (options.all || names.includes(name)) chosen.set(name, definition);
  const problems = [...findings, ...given.flatMap((it) => it.findings), ...(options.all ? library!.findings : [])];
  printFindings({ findings: problems });
  if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
  for (const name of names) if (!chosen.has(name)) refuseName(name, library!, config.specs);
  if (chosen.size === 0) refuse('EXPORT_NOT_POSSIBLE', 'There is no valid journey to export.');
  return [...chosen.values()];
}

function newest({ byName }: Journeys): [string, Definition][] {
  return [...byName].map(([name, versions]) => [name, versions[0]!.definition]);
}

function refuseName(name: string, { byName, findings }: Journeys, specs: string): never {
  printFindings({ findings });
  const hint = didYouMean(name, byName.keys());
  return refuse('JOURNEY_UNKNOWN', `${specs} has no valid journey called "${name}", and there is no such file.`, {
    ...(hint !== undefined && { hint }),
  });
}

/** Long lines are not folded: a description reads as its author wrote it. */
function textOf(document: JsonObject, format: Options['format']): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
