import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../../../src/base/json/value.js';
import { ajvPatterns } from '../../../src/json-schema/linear-pattern.js';

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  ownProperties: true,
  logger: false,
  code: { regExp: ajvPatterns },
});
addFormats.default(ajv);

/** The errors of ajv, the gateway's validator, for comparison in every agreement test. */
export function ajvErrors(schema: Json, value: Json): { pointer: string; keyword: string; message: string }[] {
  const check = ajv.compile(schema as object);
  check(JSON.parse(JSON.stringify(value)));
  if (typeof schema === 'object') ajv.removeSchema(schema as object);
  return (check.errors ?? []).map(({ instancePath, keyword, message }) => ({
    pointer: instancePath,
    keyword,
    message: message ?? '',
  }));
}
