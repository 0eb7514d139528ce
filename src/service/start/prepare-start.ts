import type { JsonObject } from '../../base/json/value.js';
import { type Problem, ProblemError, problem } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import { defaultMetadataLimits } from '../../engine/definition/metadata-limits.js';
import { initialMetadata, type Metadata } from '../../engine/run-tags-and-attributes.js';
import { withFields } from '../../engine/update-context.js';
import { checkPlatformConfig, declaredConfig, type Platform } from '../check-platform-config.js';
import { boundFields, type Headers, type InboundRequest } from '../inbound-request.js';
import type { LibraryEntry } from '../library-interface.js';
import type { InputChecks } from './input-checks.js';

/** The request to start a journey or an Api. */
export interface StartRequest extends InboundRequest {
  readonly body: JsonObject;
}

/** A validated start with everything that a run needs. */
export interface PreparedStart extends LibraryEntry, Metadata {
  /** The start context: the body with the values copied by the journey's bindings. */
  readonly body: JsonObject;
  readonly headers: Headers;
  /** The configured values of the keys that the journey declares. */
  readonly config: JsonObject;
}

/** Validates and prepares starts of journeys and Apis, with any validator of inputs. */
export class StartPreparation {
  private readonly verdicts = new WeakMap<Definition, Problem | false>();

  constructor(
    private readonly platform: Platform,
    private readonly limits = defaultMetadataLimits,
    private readonly schemas: InputChecks,
  ) {}

  /** Validates a start and returns everything that the run needs. */
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
      // A call of an Api is never listed.
      ...(definition.kind === 'Journey'
        ? initialMetadata(definition, { body, headers }, this.limits)
        : { tags: [], attributes: {} }),
    };
  }

  /** The problem that prevents all starts of a definition; cached, because neither the definition nor the configuration changes. */
  private refusal(definition: Definition): Problem | false {
    let verdict = this.verdicts.get(definition);
    if (verdict === undefined) {
      verdict = configProblem(definition, this.platform) ?? false;
      this.verdicts.set(definition, verdict);
    }
    return verdict;
  }
}

/** Checks that every required configuration value exists and has its type; otherwise the run would fail later. */
export function configProblem(definition: Definition, platform: Platform): Problem | undefined {
  const findings = checkPlatformConfig(definition, declaredConfig(definition, platform));
  if (findings.length === 0) return undefined;
  const missing = findings.some(({ code }) => code === 'CONFIG_MISSING');
  return problem(
    missing ? 'CONFIG_MISSING' : 'CONFIG_VALUE_INVALID',
    `${definition.name} cannot start as it is configured.`,
    { errors: findings, hint: `Set the values under platform.config.${definition.name} in the configuration.` },
  );
}
