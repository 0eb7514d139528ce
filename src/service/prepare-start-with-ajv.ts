import type { MetadataLimits } from '../engine/definition/metadata-limits.js';
import { InputSchemas } from './ajv-input-checks.js';
import type { Platform } from './check-platform-config.js';
import { StartPreparation } from './start/prepare-start.js';

export type { PreparedStart, StartRequest } from './start/prepare-start.js';

/** Validates and prepares starts of journeys and Apis: over HTTP, from the command line, for jobs. */
export class Starts extends StartPreparation {
  constructor(platform: Platform, limits?: MetadataLimits) {
    super(platform, limits, new InputSchemas());
  }
}
