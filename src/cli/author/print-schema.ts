import { Argument, type Command } from 'commander';
import type { Json } from '../../base/json/value.js';
import { readPlugins, vocabularyWith } from '../../library/load-plugins.js';
import { commandWithConfig, configOf } from '../options.js';

/** Published JSON Schemas by name. */
export const publishedSchemas: Record<string, (options: { config?: string }) => Promise<Json>> = {
  config: async () => (await import('../../config/config-schema.js')).configSchema as unknown as Json,
  journey: async (options) => {
    const { plugins, source } = configOf(options);
    const { tasks } = vocabularyWith(await readPlugins(plugins.modules, source.baseDir));
    return (await import('../../language/schema/journey-schema.js')).journeySchemaWith(tasks);
  },
  pipeline: async () => (await import('../../pipelines/read/pipeline-schema.js')).pipelineSchema,
  'pipeline-scenario': async () =>
    (await import('../../scenarios/pipelines/read-pipeline-scenarios-and-schema.js')).pipelineScenarioSchema,
  scenario: async () => (await import('../../scenarios/read/scenario-schema.js')).scenarioSchema,
};

/** `journeyman schema`: prints a JSON Schema. */
export function schemaCommand(): Command {
  return commandWithConfig('schema')
    .summary('print a published JSON Schema')
    .description(
      'Print the JSON Schema (2020-12) of a kind of document, for editors and checks. The schema of journeys includes the configured plugins.',
    )
    .addArgument(new Argument('[name]', 'name of the schema').choices(Object.keys(publishedSchemas)).default('journey'))
    .addHelpText(
      'after',
      `
Editors with the YAML language server check and complete journeys if the file begins with
  # yaml-language-server: $schema=journey.schema.json

Examples:
  $ journeyman schema journey > journey.schema.json
  $ journeyman schema scenario`,
    )
    .action(async (name: string, options: { config?: string }) => {
      console.log(JSON.stringify(await publishedSchemas[name]!(options), null, 2));
    });
}
