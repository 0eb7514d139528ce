import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { withFields } from '../engine/context.js';
import type { Headers } from '../gateway/request.js';
import type { JsonObject } from '../json/value.js';
import { type Finding, type Problem, ProblemError, problem } from '../problems/problem.js';
import { declaredConfig } from './declared-config.js';
import { boundFields } from './inbound.js';
import { InputSchemas } from './input-schemas.js';
import type { CatalogueEntry } from './library.js';
import { checkPlatformConfig } from './platform-config.js';

/** What a start brings along. */
export interface StartParts {
  readonly body: JsonObject;
  readonly headers: Headers;
  readonly query: URLSearchParams;
}

/** Checks what must hold before a journey or an Api is started, and makes its start context. */
export class StartChecks {
  private readonly schemas = new InputSchemas();
  private readonly verdicts = new WeakMap<Definition, Problem | false>();

  constructor(
    private readonly platform: Config['platform'],
    /** Parts of a definition that cannot be executed yet. */
    private readonly unsupported: (definition: Definition) => readonly Finding[],
  ) {}

  /** The body with what the HTTP binding copies in. Refuses whatever would make the start fail. */
  context({ definition, hash }: CatalogueEntry, parts: StartParts): JsonObject {
    const refusal = this.refusal(definition);
    if (refusal) throw new ProblemError(refusal);
    const body = withFields(parts.body, boundFields(definition.http.start, parts));
    if (definition.input) this.schemas.check(body, definition.input.schema, hash);
    return body;
  }

  /** Why a definition cannot be started at all; it and the configuration do not change, so this is found out once. */
  private refusal(definition: Definition): Problem | false {
    let verdict = this.verdicts.get(definition);
    if (verdict === undefined) {
      verdict =
        notExecutable(definition, this.unsupported(definition)) ?? misconfigured(definition, this.platform) ?? false;
      this.verdicts.set(definition, verdict);
    }
    return verdict;
  }
}

function notExecutable({ name, version }: Definition, findings: readonly Finding[]): Problem | undefined {
  if (findings.length === 0) return undefined;
  return problem('NOT_YET_SUPPORTED', `${name} ${version} uses what cannot be executed yet.`, {
    errors: [...findings],
  });
}

/** Every required configuration value must be there and have its type, or the run would only fail later. */
function misconfigured(definition: Definition, platform: Config['platform']): Problem | undefined {
  const findings = checkPlatformConfig(definition, declaredConfig(definition, { platform }));
  if (findings.length === 0) return undefined;
  const missing = findings.some(({ code }) => code === 'CONFIG_MISSING');
  return problem(
    missing ? 'CONFIG_MISSING' : 'CONFIG_VALUE_INVALID',
    `${definition.name} cannot start as it is configured.`,
    { errors: findings, hint: `Set the values under platform.config.${definition.name} in the configuration.` },
  );
}
