import { pointerParts } from '../../json/pointer.js';
import type { Json, JsonObject } from '../../json/value.js';
import { inWords, type Violation } from '../../json-schema/in-words.js';
import { validate } from '../../json-schema/validate.js';
import { nearest } from '../../problems/nearest.js';
import { type Finding, refuse } from '../../problems/problem.js';
import type { Origin } from '../../scheduling/jobs/envelope.js';
import type { CreatedBy } from '../../scheduling/jobs/record.js';
import { grants, type Orchestrator } from '../orchestrators.js';

/** Who invokes a function, and in which scope. Made from what was authenticated, never from arguments. */
export interface Caller {
  readonly by: CreatedBy;
  readonly orchestrator: Orchestrator;
  /** The functions it may invoke: all for an operator, else what its orchestrator may use. */
  readonly functions: readonly string[];
  readonly origin: Origin;
  /** The same request id makes the same job, or starts the same run. */
  readonly requestId: string;
}

/** Something the product can do by name: what its arguments are, and what does it. */
export interface ServiceFunction {
  readonly id: string;
  readonly description: string;
  /** JSON Schema 2020-12 of its arguments: always an object that takes nothing it does not name. */
  readonly parameters: JsonObject;
  /** Checks that a schema cannot say; also done when a job is made that will invoke it. */
  check?(args: JsonObject, orchestrator: Orchestrator): void;
  /** Called with arguments that match. What it answers can be sent as JSON. */
  invoke(args: JsonObject, caller: Caller): Promise<unknown>;
}

/** What the registry publishes about a function. */
export interface PublishedFunction {
  readonly functionId: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The functions of this process. There is no way to one but through `invoke` and `check`, which look at grant and schema first. */
export class Functions {
  readonly #known = new Map<string, ServiceFunction>();

  register(...functions: readonly ServiceFunction[]): this {
    for (const it of functions) this.#known.set(it.id, it);
    return this;
  }

  /** Those that are granted, by name. */
  list(granted: readonly string[] = ['*']): PublishedFunction[] {
    return [...this.#known.values()]
      .filter(({ id }) => grants(granted, id))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, description, parameters }) => ({ functionId: id, description, parameters }));
  }

  /** Refuses with FUNCTION_UNKNOWN, ACCESS_DENIED or FUNCTION_ARGUMENTS what `invoke` would refuse before anything happens. */
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
      const near = nearest(functionId, this.#known.keys());
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

/** A violation in the words of whoever wrote the call: `schedule.create.schedule must be object`. */
function argumentFinding({ id, parameters }: ServiceFunction, violation: Violation): Finding {
  const { pointer, message } = inWords(violation);
  const known = Object.keys((parameters.properties ?? {}) as JsonObject);
  const parts = pointerParts(pointer);
  const name = parts.join('.').slice(0, 200);
  const surplus = violation.keyword === 'additionalProperties' || violation.keyword === 'false schema';
  const guess = surplus && parts.length === 1 ? nearest(name, known) : undefined;
  const usable = known.length === 0 ? 'It takes none.' : `Use ${known.join(', ')}.`;
  return {
    code: 'FUNCTION_ARGUMENTS',
    severity: 'error',
    message: surplus ? `unknown argument \`${name}\`` : `${[id, ...parts].join('.').slice(0, 200)} ${message}`,
    pointer,
    hint: guess !== undefined ? `Did you mean ${guess}?` : surplus ? usable : hintOf(parameters, parts),
  };
}

/** What the schema says about the place. */
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
