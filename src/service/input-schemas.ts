import { Ajv2020, type AnySchemaObject, type ErrorObject } from 'ajv/dist/2020.js';
import { canonical, copy, equal, type Json } from '../json/value.js';
import { schemasByName } from '../json-schema/document.js';
import { matchesFormat } from '../json-schema/formats.js';
import { inOneLine, inWords, type Violation } from '../json-schema/in-words.js';
import { ajvPatterns } from '../json-schema/pattern.js';
import { validate } from '../json-schema/validate.js';
import { type Finding, refuse } from '../problems/problem.js';

const maxFindings = 50;
const maxCompiled = 500;

/** Finds every violation of one schema. */
type Check = (value: Json) => Finding[];

/** Checks values against the input schemas of definitions; each schema is compiled once and kept while it is in use. */
export class InputSchemas {
  private readonly compiled = new Map<string, Check>();

  /** Refuses `value` with INPUT_INVALID and a finding per violation. `hash` names the definition that the schema is from. */
  check(value: Json, schema: Json, hash: string): void {
    const findings = this.find(schema, hash)(value);
    if (findings.length === 0) return;
    const shown = findings.slice(0, maxFindings);
    refuse('INPUT_INVALID', inOneLine(shown, 'the body'), {
      errors: shown,
      ...(findings.length > maxFindings ? { errorsOmitted: findings.length - maxFindings } : {}),
    });
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
 * Ajv is fast, but nothing bounds its work, and references can make the cost of a small body exponential: schemas with references are left
 * to the run's own validator, which gives up in time. So are those with what Ajv takes for more than a remark, and 2020-12 does not.
 */
function compile(schema: Json): Check {
  if (isBeyondAjv(schema)) return (value) => validate(schema, value).map(violation);
  try {
    const check = newAjv().compile(typeof schema === 'boolean' ? schema : sync(schema));
    return (value) => (check(value) ? [] : (check.errors ?? []).map(finding));
  } catch (error) {
    return refuse('SCHEMA_UNUSABLE', (error as Error).message);
  }
}

const references: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Words of other dialects, and names that Ajv wants to be unique. */
const others: readonly string[] = ['nullable', 'id', 'dependencies', '$id', '$anchor', '$dynamicAnchor'];

/** Keys of a keyword whose values are schemas by name are no keywords; a property may well be called `id`. */
function isBeyondAjv(schema: Json, areNames = false): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      references.includes(key) ||
      (!areNames && others.includes(key)) ||
      isBeyondAjv(value, !areNames && schemasByName.includes(key)),
  );
}

/** `$async` is Ajv's own keyword and would turn every verdict into a promise. */
function sync(schema: Json): AnySchemaObject {
  const { $async: _, ...rest } = JSON.parse(JSON.stringify(schema)) as AnySchemaObject;
  return rest;
}

/**
 * JSON Schema 2020-12 as a run reads it: with the same patterns and formats. Values are compared by our own `equal`: Ajv's calls
 * `valueOf` on data, which has no prototype here and may hold any key.
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

function violation(it: Violation): Finding {
  return { code: 'INPUT_INVALID', severity: 'error', ...inWords(it) };
}

/** Ajv's report in the words of our own validator. */
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
