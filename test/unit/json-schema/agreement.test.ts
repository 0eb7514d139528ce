import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { validate } from '../../../src/json-schema/validate.js';
import { ajvErrors } from './ajv.js';

interface Case {
  name: string;
  schema: Json;
  accepts?: Json[];
  rejects?: Json[];
}

type Verdict = 'accepts' | 'rejects';
type Check = (schema: Json, value: Json) => unknown[];

const folder = new URL('cases/', import.meta.url);

for (const file of readdirSync(folder).sort()) suite(`cases/${file}`, [validate, ajvErrors]);
// We follow the specification where ajv differs from it, or where its generated code fails.
suite('beyond-ajv.json', [validate]);

function suite(file: string, checks: Check[]): void {
  const cases = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Case[];
  describe(file, () => {
    for (const { name, schema, accepts = [], rejects = [] } of cases) {
      it.each(accepts.map((value) => ({ value })))(`${name}: accepts $value`, ({ value }) => {
        expect(verdicts(checks, schema, value)).toEqual(checks.map(() => 'accepts'));
      });
      it.each(rejects.map((value) => ({ value })))(`${name}: rejects $value`, ({ value }) => {
        expect(verdicts(checks, schema, value)).toEqual(checks.map(() => 'rejects'));
      });
    }
  });
}

function verdicts(checks: Check[], schema: Json, value: Json): Verdict[] {
  return checks.map((check) => (check(schema, value).length === 0 ? 'accepts' : 'rejects'));
}
