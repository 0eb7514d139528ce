import type { Definition } from '../definition/definition.js';
import { defaultMetadataLimits } from '../definition/metadata-limits.js';
import { withFields } from '../engine/context.js';
import { instanceMetadata, type Metadata } from '../engine/instance-metadata.js';
import type { JsonObject } from '../json/value.js';
import { type Problem, ProblemError, problem } from '../problems/problem.js';
import { boundFields, type Headers, type InboundRequest } from './inbound.js';
import { InputSchemas } from './input-schemas.js';
import type { LibraryEntry } from './library.js';
import { declaredConfig, type Platform } from './platform.js';
import { checkPlatformConfig } from './platform-config.js';

/** What a caller sends to start something. */
export interface StartRequest extends InboundRequest {
  readonly body: JsonObject;
}

/** A start that has passed every check: everything that a run begins with, wherever it runs. */
export interface PreparedStart extends LibraryEntry, Metadata {
  /** The start context: the body with what the journey's binding copied in. */
  readonly body: JsonObject;
  readonly headers: Headers;
  /** The configured values that the journey declares. */
  readonly config: JsonObject;
}

/** The one place that says what starting a journey or an Api means: over HTTP, in scenarios, from the command line. */
export class Starts {
  private readonly verdicts = new WeakMap<Definition, Problem | false>();

  constructor(
    private readonly platform: Platform,
    private readonly limits = defaultMetadataLimits,
    private readonly schemas = new InputSchemas(),
  ) {}

  /** Refuses whatever would make the start fail, and puts together what the run begins with. */
  prepare({ definition, hash }: LibraryEntry, request: StartRequest): PreparedStart {
    const refusal = this.refusal(definition);
    if (refusal) throw new ProblemError(refusal);
    const body = withFields(request.body, boundFields(definition.http.start, request));
    if (definition.input) this.schemas.check(body, definition.input.schema, hash);
    const { headers } = request;
    return {
      definition,
      hash,
      body,
      headers,
      config: declaredConfig(definition, this.platform),
      // A call of an Api is not an instance: nobody ever looks it up.
      ...(definition.kind === 'Journey'
        ? instanceMetadata(definition, { body, headers }, this.limits)
        : { tags: [], attributes: {} }),
    };
  }

  /** Why a definition cannot be started at all; neither the definition nor the configuration changes, so this is worked out once. */
  private refusal(definition: Definition): Problem | false {
    let verdict = this.verdicts.get(definition);
    if (verdict === undefined) {
      verdict = misconfigured(definition, this.platform) ?? false;
      this.verdicts.set(definition, verdict);
    }
    return verdict;
  }
}

/** Every required configuration value must be there and have its type, or the run would only fail later. */
export function misconfigured(definition: Definition, platform: Platform): Problem | undefined {
  const findings = checkPlatformConfig(definition, declaredConfig(definition, platform));
  if (findings.length === 0) return undefined;
  const missing = findings.some(({ code }) => code === 'CONFIG_MISSING');
  return problem(
    missing ? 'CONFIG_MISSING' : 'CONFIG_VALUE_INVALID',
    `${definition.name} cannot start as it is configured.`,
    { errors: findings, hint: `Set the values under platform.config.${definition.name} in the configuration.` },
  );
}
