import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { canonical, copy, equal, type Json } from '../json/value.js';
import { type Finding, refuse } from '../problems/problem.js';
import { escapePointer } from './body.js';

const maxFindings = 50;
const maxCompiled = 500;

/** Checks values against the input schemas of definitions; each schema is compiled once and kept while it is used. */
export class InputSchemas {
  private readonly compiled = new Map<string, ValidateFunction>();

  /** Refuses `value` with INPUT_INVALID and a finding per violation. `hash` names the definition the schema is from. */
  check(value: Json, schema: Json, hash: string): void {
    const validate = this.validator(schema, hash);
    if (validate(value)) return;
    const errors = validate.errors ?? [];
    refuse('INPUT_INVALID', undefined, {
      errors: errors.slice(0, maxFindings).map(finding),
      ...(errors.length > maxFindings ? { errorsOmitted: errors.length - maxFindings } : {}),
    });
  }

  private validator(schema: Json, hash: string): ValidateFunction {
    const known = this.compiled.get(hash);
    const validate = known ?? compile(schema);
    this.compiled.delete(hash);
    this.compiled.set(hash, validate);
    if (this.compiled.size > maxCompiled) this.compiled.delete(this.compiled.keys().next().value as string);
    return validate;
  }
}

function compile(schema: Json): ValidateFunction {
  try {
    return newAjv().compile(typeof schema === 'boolean' ? schema : sync(schema));
  } catch (error) {
    return refuse('SCHEMA_UNUSABLE', (error as Error).message);
  }
}

/** `$async` is Ajv's own keyword and would turn every verdict into a promise. */
function sync(schema: Json): AnySchemaObject {
  const { $async: _, ...rest } = JSON.parse(JSON.stringify(schema)) as AnySchemaObject;
  return rest;
}

/**
 * JSON Schema 2020-12. `format` is an annotation, as the specification says. Patterns match in linear time, and values are compared
 * by our own `equal`: Ajv's calls `valueOf` on data, which has no prototype here and may hold any key.
 */
function newAjv(): Ajv2020 {
  const pattern = Object.assign(
    (source: string) => {
      const regex = RE2JS.compile(RE2JS.translateRegExp(source));
      return { test: (text: string) => regex.matcher(text).find() };
    },
    { code: 'linear' },
  );
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: pattern },
  });
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
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
  return ajv;
}

function finding(error: ErrorObject): Finding {
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params as Record<
    string,
    string | undefined
  >;
  const key = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? error.propertyName;
  return {
    code: 'INPUT_INVALID',
    severity: 'error',
    message: message(error),
    pointer: key === undefined ? error.instancePath : `${error.instancePath}/${escapePointer(key)}`,
  };
}

function message({ keyword, schema, message }: ErrorObject): string {
  switch (keyword) {
    case 'const':
      return `must be ${list([schema])}`;
    case 'enum':
      return `must be one of ${list(schema as unknown[])}`;
    case 'uniqueItems':
      return 'must not hold an item twice';
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property';
    case 'false schema':
      return 'is not allowed here';
    default:
      return message ?? `does not satisfy ${keyword}`;
  }
}

function list(values: unknown[]): string {
  const texts = values.slice(0, 20).map((it) => JSON.stringify(it));
  return `${texts.join(', ')}${values.length > texts.length ? ', …' : ''}`.slice(0, 500);
}
