import { Argument, Command } from 'commander';
import type { Json } from '../json/value.js';

/** Published JSON Schemas by name. */
export const schemas: Record<string, () => Promise<Json>> = {
  config: async () => (await import('../config/schema.js')).configSchema as unknown as Json,
  journey: async () => (await import('../language/schema/journey.js')).journeySchema,
  pipeline: async () => (await import('../pipelines/read/schema.js')).pipelineSchema,
  'pipeline-scenario': async () => (await import('../scenarios/pipelines/schema.js')).pipelineScenarioSchema,
  scenario: async () => (await import('../scenarios/schema.js')).scenarioSchema,
};

/** `journeyman schema`: print a JSON Schema for editors and checks. */
export function schemaCommand(): Command {
  return new Command('schema')
    .summary('print a published JSON Schema')
    .description('Print the JSON Schema (2020-12) of a kind of document, for editors and checks.')
    .addArgument(new Argument('[name]', 'which one').choices(Object.keys(schemas)).default('journey'))
    .addHelpText(
      'after',
      `
Editors with the YAML language server check and complete journeys when the file begins with
  # yaml-language-server: $schema=journey.schema.json
after: journeyman schema journey > journey.schema.json`,
    )
    .action(async (name: string) => {
      console.log(JSON.stringify(await schemas[name]!(), null, 2));
    });
}
