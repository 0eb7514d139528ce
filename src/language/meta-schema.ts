import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../json/value.js';
import { draft } from '../reading/json-schema.js';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });

/** Checks a JSON Schema against the meta-schema of its dialect: what is wrong, by JSON pointer, one fault each. */
export function schemaFaults(schema: Json): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  ajv.validate(draft, schema);
  for (const error of ajv.errors ?? []) {
    // A wrong value of a keyword that takes "a schema or something else" fails every alternative; one finding is enough.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === '$dynamicRef') continue;
    if (faults.has(error.instancePath)) continue;
    const types = error.keyword === 'type' ? `must be ${[error.params.type].flat().join(' or ')}` : undefined;
    faults.set(error.instancePath, types ?? error.message ?? 'is not valid');
  }
  return faults;
}
