import type { Config } from '../config/config.js';
import { declaredConfig } from '../config/declared.js';
import { type JsonObject, own } from '../json/value.js';
import { type Finding, refuse } from '../problems/problem.js';
import type { Definition, InboundBinding } from '../spec/definition.js';
import { checkPlatformConfig } from '../spec/platform-config.js';
import type { CatalogueEntry } from './catalogue.js';
import type { InputSchemas } from './input-schema.js';
import type { Headers } from './request.js';

/** What must hold before a journey or an Api is started. */
export interface StartChecks {
  readonly schemas: InputSchemas;
  readonly platform: Config['platform'];
  /** Parts of a definition that cannot be executed yet. */
  unsupported(definition: Definition): readonly Finding[];
}

/** The start context: `body` with what the HTTP binding copies in. Refuses whatever would make the start fail. */
export function startContext(
  { definition, hash }: CatalogueEntry,
  request: { body: JsonObject; headers: Headers; query: URLSearchParams },
  checks: StartChecks,
): JsonObject {
  const missing = checks.unsupported(definition);
  if (missing.length > 0) {
    refuse('NOT_YET_SUPPORTED', `${definition.name} ${definition.version} uses what cannot be executed yet.`, {
      errors: [...missing],
    });
  }
  checkConfig(definition, checks.platform);
  const body = copyIn(definition.http.start, request);
  if (definition.input) checks.schemas.check(body, definition.input.schema, hash);
  return body;
}

function copyIn(
  { headersToContext, queryToContext }: InboundBinding,
  { body, headers, query }: { body: JsonObject; headers: Headers; query: URLSearchParams },
): JsonObject {
  for (const [header, field] of Object.entries(headersToContext)) {
    const value = own(headers as JsonObject, header.toLowerCase());
    if (value !== undefined) body[field] = value;
  }
  for (const [parameter, field] of Object.entries(queryToContext)) {
    const value = query.get(parameter);
    if (value !== null) body[field] = value;
  }
  return body;
}

/** Every required configuration value must be there and have its type, or the run would only fail later. */
function checkConfig(definition: Definition, platform: Config['platform']): void {
  const findings = checkPlatformConfig(definition, declaredConfig(definition, { platform }));
  if (findings.length === 0) return;
  const missing = findings.some(({ code }) => code === 'CONFIG_MISSING');
  refuse(missing ? 'CONFIG_MISSING' : 'CONFIG_VALUE_INVALID', `${definition.name} cannot start as it is configured.`, {
    errors: findings,
    hint: `Set the values under platform.config.${definition.name} in the configuration.`,
  });
}
