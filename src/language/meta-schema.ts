import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { describe } from '../document/fields.js';
import type { SchemaFault } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Json } from '../json/value.js';
import { draft } from '../reading/json-schema.js';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false, verbose: true });

/** Checks a JSON Schema against the meta-schema of its dialect: what is wrong, by JSON pointer, one fault each. */
export function schemaFaults(schema: Json): ReadonlyMap<string, SchemaFault> {
  const faults = new Map<string, SchemaFault>();
  ajv.validate(draft, schema);
  for (const error of ajv.errors ?? []) {
    // A wrong value of a keyword that takes "a schema or something else" fails every alternative; one finding is enough.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === '$dynamicRef') continue;
    if (!faults.has(error.instancePath)) faults.set(error.instancePath, faultOf(error));
  }
  return faults;
}

function faultOf({ keyword, params, message, data }: ErrorObject): SchemaFault {
  if (keyword === 'type') return { message: `must be ${[params.type].flat().join(' or ')}, not ${shown(data)}` };
  if (keyword === 'enum') {
    const allowed = (params.allowedValues as Json[]).map(String);
    const hint = didYouMean(data as Json, allowed);
    return { message: `must be one of ${allowed.join(', ')}, not ${shown(data)}`, ...(hint !== undefined && { hint }) };
  }
  return { message: `${message ?? 'is not valid'}, not ${shown(data)}` };
}

function shown(data: unknown): string {
  return describe(data as Json);
}
