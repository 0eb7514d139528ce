import { Argument, type Command } from 'commander';
import type { Json } from '../json/value.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { configOf, configured } from './options.js';

/** Published JSON Schemas by name. */
export const schemas: Record<string, (options: { config?: string }) => Promise<Json>> = {
  config: async () => (await import('../config/schema.js')).configSchema as unknown as Json,
  journey: async (options) => {
    const { plugins, source } = configOf(options);
    const { tasks } = wordsWith(await readPlugins(plugins.modules, source.baseDir));
    return (await import('../language/schema/journey.js')).journeySchemaWith(tasks);
  },
  pipeline: async () => (await import('../pipelines/read/schema.js')).pipelineSchema,
  'pipeline-scenario': async () => (await import('../scenarios/pipelines/schema.js')).pipelineScenarioSchema,
  scenario: async () => (await import('../scenarios/schema.js')).scenarioSchema,
};

/** `journeyman schema`: print a JSON Schema for editors and checks. */
export function schemaCommand(): Command {
  return configured('schema')
    .summary('print a published JSON Schema')
    .description(
      'Print the JSON Schema (2020-12) of a kind of document, for editors and checks. That of journeys knows the configured plugins.',
    )
    .addArgument(new Argument('[name]', 'which one').choices(Object.keys(schemas)).default('journey'))
    .addHelpText(
      'after',
      `
Editors with the YAML language server check and complete journeys when the file begins with
  # yaml-language-server: $schema=journey.schema.json

Examples:
  $ journeyman schema journey > journey.schema.json
  $ journeyman schema scenario`,
    )
    .action(async (name: string, options: { config?: string }) => {
      console.log(JSON.stringify(await schemas[name]!(options), null, 2));
    });
}
