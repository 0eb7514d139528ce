import { Ajv2020, type AnySchemaObject, type ErrorObject } from 'ajv/dist/2020.js';
import { canonical, copy, equal, type Json } from '../base/json/value.js';
import { type Finding, refuse } from '../base/problems/problem.js';
import { matchesFormat } from '../json-schema/formats.js';
import { ajvPatterns } from '../json-schema/linear-pattern.js';
import { schemasByName } from '../json-schema/schema-document.js';
import { type InputChecks, refuseInvalid, violation, violations } from './start/input-checks.js';

const maxCompiled = 500;

/** Returns every violation of a schema. */
type Check = (value: Json) => Finding[];

/** Validates values against the input schemas of definitions. Compiled schemas are cached. */
export class InputSchemas implements InputChecks {
  private readonly compiled = new Map<string, Check>();

  /** Throws INPUT_INVALID with a finding per violation. `hash` identifies the definition of the schema. */
  check(value: Json, schema: Json, hash: string): void {
    refuseInvalid(this.find(schema, hash)(value));
  }

  private find(schema: Json, hash: string): Check {
    const check = this.compiled.get(hash) ?? compile(schema);
    this.compiled.delete(hash);
    this.compiled.set(hash, check);
    if (this.compiled.size > maxCompiled) this.compiled.delete(this.compiled.keys().next().value as string);
    return check;
  }
}

/**
 * Ajv is fast but unbounded, and references can make the cost of a small body exponential, so schemas with references use the run's own
 * validator, which is bounded. So do schemas with keywords that Ajv interprets differently from 2020-12.
 */
function compile(schema: Json): Check {
  if (isBeyondAjv(schema)) return (value) => violations(schema, value);
  try {
    const check = newAjv().compile(typeof schema === 'boolean' ? schema : sync(schema));
    return (value) => (check(value) ? [] : (check.errors ?? []).map(finding));
  } catch (error) {
    return refuse('SCHEMA_UNUSABLE', (error as Error).message);
  }
}

const references: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords of other dialects, and identifiers that Ajv requires to be unique. */
const others: readonly string[] = ['nullable', 'id', 'dependencies', '$id', '$anchor', '$dynamicAnchor'];

/** Reports whether a schema needs the run's validator. Names of properties are not keywords: one may be called `id`. */
function isBeyondAjv(schema: Json, areNames = false): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      references.includes(key) ||
      (!areNames && others.includes(key)) ||
      isBeyondAjv(value, !areNames && schemasByName.includes(key)),
  );
}

/** Removes `$async`, Ajv's own keyword that would make the validation asynchronous. */
function sync(schema: Json): AnySchemaObject {
  const { $async: _, ...rest } = JSON.parse(JSON.stringify(schema)) as AnySchemaObject;
  return rest;
}

/**
 * Creates an Ajv with the same patterns and formats as in a run. Values are compared by our own `equal`: Ajv calls `valueOf` on data, which
 * has no prototype here and may contain any key.
 */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    validateSchema: false,
    logger: false,
    code: { regExp: ajvPatterns },
  });
  for (const keyword of ['const', 'enum', 'uniqueItems', 'format']) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: 'const', errors: false, compile: (it: Json) => (data: Json) => equal(data, copy(it)) });
  ajv.addKeyword({
    keyword: 'enum',
    errors: false,
    compile: (values: Json[]) => (data: Json) => values.some((it) => equal(data, it)),
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    compile: (on: boolean) => (data: Json[]) => !on || new Set(data.map(canonical)).size === data.length,
  });
  ajv.addKeyword({
    keyword: 'format',
    type: ['string', 'number'],
    errors: false,
    compile: (format: string) => (data: string | number) => matchesFormat(format, data),
  });
  return ajv;
}

/** Converts an error of Ajv to the form of our own validator. */
function finding({ instancePath, keyword, params, propertyName, schema, message }: ErrorObject): Finding {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const property = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  return violation({
    pointer: instancePath,
    keyword,
    message: message ?? `does not satisfy ${keyword}`,
    argument: schema as Json,
    ...(property !== undefined && { property }),
  });
}
