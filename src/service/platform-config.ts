import type { ConfigKey, Definition } from '../definition/definition.js';
import { describe } from '../document/fields.js';
import { escapePointer } from '../json/pointer.js';
import { isObject, type JsonObject } from '../json/value.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { type Finding, refuse } from '../problems/problem.js';
import type { LibraryEntry } from './library.js';
import { declaredConfig, type Platform } from './platform.js';

/** What is wrong with the configured values of a journey's `platform.config` keys: required ones missing, types not matching. */
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
    if (matches(value, type)) return [];
    return [
      {
        code: 'CONFIG_TYPE',
        severity: 'error',
        pointer,
        message: `platform.config.${key} must be of type ${type}, not ${describe(value)}.`,
      },
    ];
  });
}

function matches(value: unknown, type: ConfigKey['type']): boolean {
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** The configured values of a pipeline's journeys, by name; refused where one of them could not start with them. */
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
export function misconfigured(
  { platform }: { readonly platform: Platform },
  entries: readonly LibraryEntry[],
): string[] {
  return entries.flatMap(({ definition }) =>
    checkPlatformConfig(definition, declaredConfig(definition, platform)).map(
      ({ pointer }) => `platform.config.${definition.name}.${pointer.split('/').at(-1)}`,
    ),
  );
}
