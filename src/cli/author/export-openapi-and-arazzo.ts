import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { type Output, safe } from '../../app/safe-terminal-text.js';
import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import { arazzoOf } from '../../language/exports/generate-arazzo.js';
import { openApiOf } from '../../language/exports/generate-openapi.js';
import { gatewayDocument } from '../../library/read-gateway-openapi.js';
import { type LoadedJourneys, readJourneys } from '../../library/read-journeys.js';
import { configuredChecks, readReferences } from '../../library/read-library.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../options.js';
import { documentFiles } from './document-files.js';
import { printFindings } from './print-findings.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'yaml' | 'json';
  all?: true;
  out?: string;
  server?: string;
}

/** Exports a journey as a document; undefined if it cannot be exported. */
type Export = (definition: Definition, options: Options) => Promise<JsonObject | undefined>;

/** `journeyman openapi`: prints the OpenAPI document of a journey or Api. */
export function openApiCommand(out: Output = process.stdout): Command {
  return exportCommand('openapi', 'OpenAPI 3.1', out, async (definition, { server }) =>
    openApiOf(definition, (await gatewayDocument()).value, server),
  ).addOption(
    new Option('--server <url>', 'URL of the gateway (default: the host that serves the document)').argParser(
      serverUrl,
    ),
  );
}

/** `journeyman arazzo`: prints the Arazzo document of a journey. */
export function arazzoCommand(out: Output = process.stdout): Command {
  return exportCommand('arazzo', 'Arazzo 1.0', out, async (definition, { format }) =>
    definition.kind === 'Journey' ? arazzoOf(definition, `${definition.name}.openapi.${format}`) : undefined,
  );
}

/** Parses the URL of a gateway and removes trailing slashes. */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return text.replace(/\/+$/, '');
  return refuse('USAGE_INVALID', `"${text}" is not a valid --server.`, {
    hint: 'Use a URL without a query, like https://journeys.example.com.',
  });
}

function exportCommand(name: string, kind: string, out: Output, make: Export): Command {
  return withCatalogue(commandWithConfig(name))
    .description(
      `Print the ${kind} document of a journey, or write those of several into a folder. Each document is self-contained.`,
    )
    .argument('[journeys...]', 'names of journeys in the configured specs folder, or files and folders')
    .addOption(new Option('--format <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
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
          refuse('EXPORT_NOT_POSSIBLE', `${definition.name} is an Api: a single call has no workflow.`);
      }
      if (options.out === undefined) {
        if (made.length !== 1)
          refuse('USAGE_INVALID', `${made.length} documents cannot be printed at once.`, {
            hint: 'Use --out to write them into a folder.',
          });
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

/** The newest version of each requested journey, ordered by name within a folder. */
async function definitionsOf(wanted: readonly string[], options: Options): Promise<Definition[]> {
  if (wanted.length === 0 && !options.all)
    return refuse('USAGE_INVALID', 'No journey is specified.', {
      hint: 'Specify the name of a journey, a file or folder, or --all.',
    });
  const config = configOf(options);
  const { limits } = config;
  const { references, findings } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const checks = { ...references, ...configuredChecks({ limits }) };
  const paths = await documentFiles(wanted, config, checks);
  const given = paths.length > 0 ? [await readJourneys(paths, checks)] : [];
  if (options.all) given.push(await readJourneys([config.specs], checks));
  const chosen = new Map(given.flatMap(newest));
  const problems = [...findings, ...given.flatMap((it) => it.findings)];
  printFindings({ findings: problems });
  if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
  if (chosen.size === 0) refuse('EXPORT_NOT_POSSIBLE', 'No valid journey to export.');
  return [...chosen.values()];
}

function newest({ byName }: LoadedJourneys): [string, Definition][] {
  return [...byName].map(([name, versions]) => [name, versions[0]!.definition]);
}

/** Lines are not folded, so descriptions keep their line breaks. */
function textOf(document: JsonObject, format: Options['format']): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
