import { readFile, writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { type Output, safe } from '../../app/safe-terminal-text.js';
import { lineColumnAt } from '../../base/document/locate-pointer.js';
import { parseSource } from '../../base/document/parse-yaml.js';
import { refuse } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Diagram } from '../../graph/diagram.js';
import { graphFormats } from '../../graph/drawing-formats.js';
import { journeyDiagram } from '../../graph/journey-diagram.js';
import { pipelineDiagram } from '../../graph/pipeline-diagram.js';
import type { LoadedDocument } from '../../library/read-document-file.js';
import { readJourneys } from '../../library/read-journeys.js';
import { configuredChecks, readReferences } from '../../library/read-library.js';
import { readPipelines } from '../../library/read-pipelines.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../options.js';
import { documentFiles } from './document-files.js';
import { printFindings } from './print-findings.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: keyof typeof graphFormats;
  out?: string;
}

/** `journeyman graph`: draws a journey or a pipeline. */
export function graphCommand(out: Output = process.stdout): Command {
  return withCatalogue(commandWithConfig('graph'))
    .summary('draw a journey or a pipeline')
    .description('Draw a journey or a pipeline: its states, every way through them, and the graphs inside them.')
    .argument('<journey>', 'name of a journey or pipeline in the configured specs folder, or a file')
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(graphFormats)).default('mermaid'))
    .option('--out <file>', 'write the drawing to this file')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman graph checkout
  $ journeyman graph checkout --format svg --out checkout.svg
  $ journeyman graph specs/checkout.journey.yaml --format dot | dot -Tpng -o checkout.png`,
    )
    .action(async (wanted: string, options: Options) => {
      const text = graphFormats[options.format](await diagramOf(wanted, options));
      if (options.out === undefined) {
        out.write(text);
        return;
      }
      await writeFile(options.out, text);
      out.write(`${safe(options.out)}\n`);
    });
}

async function diagramOf(wanted: string, options: Options): Promise<Diagram> {
  const { file, definition } = await documentOf(wanted, options);
  const source = parseSource(await readFile(file, 'utf8'), file);
  const locate = (pointer: string) => lineColumnAt(source, pointer);
  return definition.kind === 'Pipeline' ? pipelineDiagram(definition, locate) : journeyDiagram(definition, locate);
}

/** The document of this name, in its highest version, or the one in this file. */
async function documentOf(wanted: string, options: Options): Promise<LoadedDocument<Definition | PipelineDefinition>> {
  const config = configOf(options);
  const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const checks = { ...references, ...configuredChecks(config) };
  const paths = await documentFiles([wanted], config, checks, { pipelines: true });
  const journeys = await readJourneys(paths, checks);
  const pipelines = await readPipelines(paths, journeys, { ...checks, specs: config.specs });
  const found = [...[...journeys.byName.values()].map(([newest]) => newest!), ...pipelines.pipelines];
  if (found.length === 1) return found[0]!;
  printFindings({ findings: [...journeys.findings, ...pipelines.findings] });
  if (found.length > 1)
    return refuse('USAGE_INVALID', `${wanted} contains ${found.length} documents.`, {
      hint: 'Specify one file, or the name of one of them.',
    });
  return refuse('JOURNEY_UNKNOWN', `There is no valid journey in ${wanted}.`);
}
