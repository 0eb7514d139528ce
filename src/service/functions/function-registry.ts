import { pointerParts } from '../../base/json/pointer.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { nearestName } from '../../base/problems/nearest-name.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import { validate } from '../../json-schema/validate.js';
import { type Violation, violationText } from '../../json-schema/violation-messages.js';
import type { Origin } from '../../schedules/jobs/dispatch-envelope.js';
import type { CreatedBy } from '../../schedules/jobs/job-record.js';
import { grants, type Orchestrator } from '../orchestrators.js';

/** The caller of a function and its scope, from the authentication, never from arguments. */
export interface Caller {
  readonly by: CreatedBy;
  readonly orchestrator: Orchestrator;
  /** The functions it may invoke: all for an operator, else those of its orchestrator. */
  readonly functions: readonly string[];
  readonly origin: Origin;
  /** Idempotency key for creating a job or starting a run. */
  readonly requestId: string;
}

/** A function: name, parameters and implementation. */
export interface ServiceFunction {
  readonly id: string;
  readonly description: string;
  /** JSON Schema 2020-12 of its arguments: a closed object. */
  readonly parameters: JsonObject;
  /** Checks beyond the schema; also run when a job with this function is created. */
  check?(args: JsonObject, orchestrator: Orchestrator): void;
  /** Called with valid arguments. The result is JSON. */
  invoke(args: JsonObject, caller: Caller): Promise<unknown>;
}

/** The published description of a function. */
export interface PublishedFunction {
  readonly functionId: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The functions of this process. `invoke` and `check` enforce grants and schemas. */
export class Functions {
  readonly #known = new Map<string, ServiceFunction>();

  register(...functions: readonly ServiceFunction[]): this {
    for (const it of functions) this.#known.set(it.id, it);
    return this;
  }

  /** The granted functions, by name. */
  list(granted: readonly string[] = ['*']): PublishedFunction[] {
    return [...this.#known.values()]
      .filter(({ id }) => grants(granted, id))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, description, parameters }) => ({ functionId: id, description, parameters }));
  }

  /** Throws FUNCTION_UNKNOWN, ACCESS_DENIED or FUNCTION_ARGUMENTS, as `invoke` would. */
  check(functionId: string, args: JsonObject, orchestrator: Orchestrator, granted = orchestrator.functions): void {
    this.#checked(functionId, args, orchestrator, granted);
  }

  async invoke(functionId: string, args: JsonObject, caller: Caller): Promise<unknown> {
    return await this.#checked(functionId, args, caller.orchestrator, caller.functions).invoke(args, caller);
  }

  #checked(
    functionId: string,
    args: JsonObject,
    orchestrator: Orchestrator,
    granted: readonly string[],
  ): ServiceFunction {
    const found = this.#known.get(functionId);
    if (!found) {
      const near = nearestName(functionId, this.#known.keys());
      return refuse('FUNCTION_UNKNOWN', undefined, {
        hint: near === undefined ? 'GET /api/v1/functions lists them.' : `Did you mean ${near}?`,
      });
    }
    if (!grants(granted, functionId))
      refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} may not use the function ${functionId}.`, {
        hint: `Allow it under orchestrators.${orchestrator.id}.functions in the configuration.`,
      });
    const findings = validate(found.parameters, args).map((it) => argumentFinding(found, it));
    if (findings.length > 0)
      refuse('FUNCTION_ARGUMENTS', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
    found.check?.(args, orchestrator);
    return found;
  }
}

/** A violation with the path of the argument: `schedule.create.schedule must be object`. */
function argumentFinding({ id, parameters }: ServiceFunction, violation: Violation): Finding {
  const { pointer, message } = violationText(violation);
  const known = Object.keys((parameters.properties ?? {}) as JsonObject);
  const parts = pointerParts(pointer);
  const name = parts.join('.').slice(0, 200);
  const surplus = violation.keyword === 'additionalProperties' || violation.keyword === 'false schema';
  const guess = surplus && parts.length === 1 ? nearestName(name, known) : undefined;
  const usable = known.length === 0 ? 'It has no arguments.' : `Use ${known.join(', ')}.`;
  return {
    code: 'FUNCTION_ARGUMENTS',
    severity: 'error',
    message: surplus ? `unknown argument \`${name}\`` : `${[id, ...parts].join('.').slice(0, 200)} ${message}`,
    pointer,
    hint: guess !== undefined ? `Did you mean ${guess}?` : surplus ? usable : hintOf(parameters, parts),
  };
}

/** The description of a field in the schema. */
function hintOf(parameters: JsonObject, parts: readonly string[]): string {
  let schema: Json | undefined = parameters;
  let found = parameters.description;
  for (const part of parts) {
    const properties: Json | undefined = (schema as JsonObject | undefined)?.properties;
    schema = (properties as JsonObject | undefined)?.[part];
    found = (schema as JsonObject | undefined)?.description ?? found;
  }
  return typeof found === 'string' ? found : 'GET /api/v1/functions shows the schema.';
}
