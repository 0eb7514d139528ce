import { describeType } from '../base/document/read-fields.js';
import { escapePointer } from '../base/json/pointer.js';
import { emptyObject, type JsonObject, own } from '../base/json/value.js';
import { type Finding, refuse } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';
import { fitsConfigType } from '../language/blocks/read-platform-config.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import type { LibraryEntry } from './library-interface.js';

/** Checks the configured values of a journey's `platform.config` keys: missing required ones, wrong types. */
export function checkPlatformConfig({ platformConfig }: Definition, values: JsonObject): Finding[] {
  return Object.entries(platformConfig).flatMap(([key, { type, required }]): Finding[] => {
    const pointer = `/spec/platform/config/${escapePointer(key)}`;
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined) {
      if (!required) return [];
      return [
        {
          code: 'CONFIG_MISSING',
          severity: 'error',
          pointer,
          message: `platform.config.${key} is required and has no value.`,
        },
      ];
    }
    if (fitsConfigType(value, type)) return [];
    return [
      {
        code: 'CONFIG_TYPE',
        severity: 'error',
        pointer,
        message: `platform.config.${key} must be of type ${type}, not ${describeType(value)}.`,
      },
    ];
  });
}

/** The configured values of a pipeline's journeys, by name. Throws if one of them could not start. */
export function checkConfigs({ name, journeys }: PipelineDefinition, platform: Platform): Record<string, JsonObject> {
  const configs: Record<string, JsonObject> = {};
  const findings: Finding[] = [];
  for (const [journey, { definition }] of Object.entries(journeys)) {
    configs[journey] = declaredConfig(definition, platform);
    findings.push(...checkPlatformConfig(definition, configs[journey]));
  }
  if (findings.length > 0)
    refuse('CONFIG_MISSING', `The journeys of ${name} cannot start as they are configured.`, {
      errors: findings,
      hint: 'Set the values under platform.config in the configuration.',
    });
  return configs;
}

/** Journeys and Apis that cannot be started because a configured value is missing or wrong. */
export function missingConfigKeys(
  { platform }: { readonly platform: Platform },
  entries: readonly LibraryEntry[],
): string[] {
  return entries.flatMap(({ definition }) =>
    checkPlatformConfig(definition, declaredConfig(definition, platform)).map(
      ({ pointer }) => `platform.config.${definition.name}.${pointer.split('/').at(-1)}`,
    ),
  );
}

/** The name under which the configuration has values for all journeys. */
const allJourneys = '*';

/** The platform as journeys see it. */
export interface Platform {
  readonly environment: string;
  /** Values of `platform.config`, by the journey's name. */
  readonly config: Readonly<Record<string, JsonObject>>;
}

/** The values of the keys that a journey declares, and no others: its own, else those of all journeys, else the defaults. */
export function declaredConfig({ name, platformConfig }: Definition, { config }: Platform): JsonObject {
  const out = emptyObject();
  for (const [key, { default: usual }] of Object.entries(platformConfig)) {
    const value = own(config[name], key) ?? own(config[allJourneys], key) ?? usual;
    if (value !== undefined) out[key] = value;
  }
  return out;
}
