import { readdir, readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../src/base/json/value.js';
import { specFields } from '../../../src/language/read-document.js';
import { blockSchemas } from '../../../src/language/schema/block-schemas.js';
import { journeySchema } from '../../../src/language/schema/journey-schema.js';
import { stateTypes } from '../../../src/language/states/registry.js';
import { taskKinds } from '../../../src/language/tasks/registry.js';
import { readFaults, topics } from '../engine/harness.js';
import { blockCases } from './cases/blocks.js';
import type { FaultCase } from './cases/case.js';
import { compatCases } from './cases/compat.js';
import { graphCases } from './cases/graphs.js';
import { stateCases } from './cases/states.js';
import { taskCases } from './cases/tasks.js';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
const validate = ajv.compile(journeySchema as object);
const valid = (text: string) => validate(parse(text.replace('§', '')));

/** Structural errors, which the schema must also report so that editors show them while typing. */
const structural: FaultCase['code'][] = [
  'UNKNOWN_FIELD',
  'STATE_TYPE',
  'STATE_BLOCK',
  'CHOICE_EMPTY',
  'PREDICATE_REQUIRED',
  'MAPPER_BOTH',
  'FAIL_FIELDS',
  'WAIT_CHANNEL',
  'WAIT_SCHEMA_MISSING',
  'WAIT_TIMEOUT',
  'WAIT_ONTIMEOUT_MISSING',
  'MAP_ITEMS',
  'MAP_CONCURRENCY',
  'MAP_ERROR_POLICY',
  'PAR_BRANCHES',
  'PAR_JOIN_MISSING',
  'PAR_STRATEGY',
  'PAR_ERROR_POLICY',
  'SUBJ_ENUM',
  'TASK_KIND_FORMAT',
  'TASK_KIND_UNKNOWN',
  'HTTP_BINDING_XOR',
  'HTTP_METHOD',
  'HTTP_MODE',
  'HTTP_TIMEOUT',
  'ERRMAP_WHEN',
  'KAFKA_TOPIC',
  'KAFKA_VALUE',
  'SCHED_MAXRUNS',
  'SCHED_ENUM',
  'SCHED_MAPPER',
  'CACHE_OP',
  'CACHE_KEY',
  'AUTH_SOURCE',
  'CONFIG_TYPE',
  'EXEC_DURATION',
  'EXEC_ONTIMEOUT',
  'COMP_MODE',
  'LIFECYCLE_ENUM',
  'LINKS_TYPE',
  'POLICY_ATTEMPTS',
  'AUTHPOL_KIND',
  'OUTCOME_PHASE',
  'COOKIES_MODE',
  'APIRESP_STATUS',
  'ERRORS_FORMAT',
];
const cases = [
  ...[...graphCases, ...stateCases, ...taskCases, ...blockCases].filter(({ code }) => structural.includes(code)),
  ...topics.flatMap(readFaults).filter((it) => it.structural),
];

/** Every field that a schema describes, with its path; references are described at their own place. */
function* fieldsIn(schema: JsonObject, path: string): Generator<[string, JsonObject]> {
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    if (!isObject(field)) continue;
    yield [`${path}/${name}`, field];
    yield* fieldsIn(field, `${path}/${name}`);
  }
  for (const [name, part] of Object.entries((schema.$defs ?? {}) as JsonObject))
    yield* fieldsIn(part as JsonObject, name);
  for (const inside of [schema.items, schema.additionalProperties])
    if (isObject(inside)) yield* fieldsIn(inside, `${path}/*`);
  for (const one of Array.isArray(schema.oneOf) ? schema.oneOf : [])
    if (isObject(one) && one.additionalProperties === false) yield* fieldsIn(one, path);
}

describe('the published schema', () => {
  it('is itself valid', () => {
    expect(ajv.validateSchema(journeySchema as object)).toBe(true);
  });

  it('has a description and an example for every field, type and kind, for editors', () => {
    const { $defs } = journeySchema as { $defs: Record<string, JsonObject> };
    const referred = ({ $ref }: JsonObject) => $defs[String($ref).replace('#/$defs/', '')];
    const says = (it: JsonObject, what: string) => it[what] !== undefined || referred(it)?.[what] !== undefined;
    const shows = (it: JsonObject) =>
      ['examples', 'enum', 'const'].some((what) => says(it, what)) ||
      it.type === 'boolean' ||
      // Their contents have examples by type and kind.
      ['#/$defs/states', '#/$defs/task'].includes(it.$ref as string);
    const fields = [...fieldsIn(journeySchema as JsonObject, '')].filter(([, it]) => it.deprecated !== true);
    expect(fields.length).toBeGreaterThan(300);
    expect(fields.filter(([, it]) => !says(it, 'description')).map(([path]) => path)).toEqual([]);
    // Deprecated fields need no example, and `spec` has examples by block.
    expect(fields.filter(([path, it]) => path !== '/spec' && !shows(it)).map(([path]) => path)).toEqual([]);
    for (const [name, part] of Object.entries($defs).filter(([name]) => /^(state|task)\./.test(name)))
      expect([name, typeof part.description, Array.isArray(part.examples)]).toEqual([name, 'string', true]);
  });

  it('has valid examples', () => {
    const { $defs, properties } = journeySchema as unknown as Record<string, Record<string, JsonObject>>;
    const blocks = (properties!.spec as { properties: Record<string, JsonObject> }).properties;
    const at = (pointer: string) => ajv.compile({ $ref: `urn:journeyman:schema:journey:v1#${pointer}` });
    const check = (pointer: string, { examples }: JsonObject) => {
      const isValid = at(pointer);
      for (const example of (examples ?? []) as Json[])
        expect(isValid(example), `${pointer}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
    };
    for (const [name, part] of Object.entries($defs!)) check(`/$defs/${name}`, part);
    for (const [name, block] of Object.entries(blocks)) check(`/properties/spec/properties/${name}`, block);
  });

  it('has the states, task kinds and blocks of the loader', () => {
    expect([...Object.keys(blockSchemas), 'start', 'states'].sort()).toEqual([...specFields].sort());
    const defs = Object.keys((journeySchema as { $defs: Record<string, Json> }).$defs);
    expect([...stateTypes.keys()].filter((type) => !defs.includes(`state.${type}`))).toEqual([]);
    expect([...taskKinds.keys()].filter((kind) => !defs.includes(`task.${kind}`))).toEqual([]);
  });

  it.each(['1.0.0junk', '01.0.0', '1.0'])('rejects versions that the loader rejects: %s', (version) => {
    const text = `apiVersion: v1\nkind: Journey\nmetadata: { name: probe, version: "${version}" }\nspec: { start: a, states: { a: { type: succeed } } }`;
    expect(valid(text)).toBe(false);
    expect(valid(text.replace(version, '1.0.0-rc.1+build.7'))).toBe(true);
  });

  it('accepts documents that load without a finding', async () => {
    const folder = new URL('../../fixtures/journeys/', import.meta.url);
    for (const file of await readdir(folder)) {
      expect(valid(await readFile(new URL(file, folder), 'utf8')), `${file}: ${ajv.errorsText(validate.errors)}`).toBe(
        true,
      );
    }
  });

  it('accepts a schedule with an interval, or with a cron and its zone, but no mixture', () => {
    const text = (fields: string) =>
      `apiVersion: v1\nkind: Journey\nmetadata: { name: probe, version: 1.0.0 }\nspec: { start: a, states: { a: { type: task, task: { kind: 'schedule:v1', start: b, maxRuns: 1, ${fields} }, next: b }, b: { type: succeed } } }`;
    const takes = (...fields: string[]) => valid(text(fields.join()));
    const [interval, cron, timezone] = ['interval: P1D', 'cron: 0 2 * * *', 'timezone: UTC'];
    expect([takes(interval), takes(cron, timezone)]).toEqual([true, true]);
    expect([takes(cron), takes(timezone), takes(interval, timezone), takes(interval, cron, timezone)]).toEqual(
      Array(4).fill(false),
    );
  });

  it.each(compatCases.filter(({ severity }) => severity === 'warning').map(({ code, text }) => [code, text]))(
    'accepts the compatibility spelling %s',
    (_, text) => {
      expect(valid(text), ajv.errorsText(validate.errors)).toBe(true);
    },
  );

  it.each(
    cases
      .filter(({ severity }) => severity !== 'warning')
      .map(({ code, text, about }) => [`${code} ${about ?? ''}`, text]),
  )('rejects %s', (_, text) => {
    expect(valid(text)).toBe(false);
  });
});
