import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../src/base/json/value.js';
import { configSchema } from '../../../src/config/config-schema.js';
import { schemaFindings } from '../../../src/config/validate-config.js';
import { load } from '../../../src/language/load-journey.js';
import { blockExamples } from '../../../src/language/schema/block-examples.js';
import { journeySchema } from '../../../src/language/schema/journey-schema.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';
import { pipelineSchema } from '../../../src/pipelines/read/pipeline-schema.js';
import { pipelineScenarioSchema } from '../../../src/scenarios/pipelines/read-pipeline-scenarios-and-schema.js';
import { scenarioSchema } from '../../../src/scenarios/read/scenario-schema.js';
import { type Block, blocksOf, pages, pageText } from '../../support/doc-blocks.js';

const blocks = pages.flatMap(blocksOf);
const { catalogue } = await readApiCatalogue({ root: fileURLToPath(new URL('../../../specs', import.meta.url)) });
const named = (lang: string) =>
  blocks.filter((it) => it.lang === lang).map((it) => [`${it.page}:${it.line}`, it] as const);

const violations = (schema: Json, value: unknown) => {
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as JsonObject);
  return isValid(value) ? [] : isValid.errors;
};
const scenario = { input: {}, expect: { phase: 'SUCCEEDED' } };
const call = { kind: 'httpCall:v1', method: 'POST', url: 'https://a.example' };

/** Wraps an excerpt in the smallest valid document, by its first field. */
const around: Record<string, (piece: JsonObject) => Json | undefined> = {
  spec: ({ spec }) => journey(spec as JsonObject),
  states: ({ states }) => journey(withEnds(states as JsonObject)),
  when: (piece) => journey(withEnds({ a: { type: 'choice', choices: [{ ...piece, next: 'b' }], default: 'b' } })),
  join: (piece) => {
    const branch = { name: 'price', start: 'e', states: { e: { type: 'succeed' } } };
    return journey(withEnds({ a: { type: 'parallel', parallel: { branches: [branch], ...piece }, next: 'b' } }));
  },
  sign: (piece) => journey(withEnds({ a: { type: 'task', task: { ...call, ...piece }, next: 'b' } })),
};

function journey(spec: JsonObject, kind = 'Journey'): Json {
  return { apiVersion: 'v1', kind, metadata: { name: 'piece', version: '1.0.0' }, spec };
}

/** A block of `spec`, as in the field reference. */
function withBlock(piece: JsonObject): Json {
  if (JSON.stringify(piece).includes('"route"'))
    return journey({ ...withEnds({ done: { type: 'succeed' } }), ...piece }, 'Api');
  const approve = { type: 'wait', wait: { channel: 'manual', input: { schema: {} } }, next: 'done' };
  return journey({ ...withEnds({ approve }), ...piece });
}

/** Adds the examples on the same page that an example refers to. */
function withReferred(whole: Json): Json {
  const referred = ['mappers', 'policies', 'subjourneys', 'apis'].map((name) => [name, blockExamples[name]![0]!]);
  const { spec, ...rest } = whole as { spec: JsonObject };
  return { ...rest, spec: { ...Object.fromEntries(referred), ...spec } };
}

/** The fields that refer to a state, according to the published schema. */
function stateFields(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(stateFields);
  if (!isObject(schema)) return [];
  const refers = ({ $ref, oneOf = [] }: JsonObject): boolean =>
    $ref === '#/$defs/stateId' || (oneOf as JsonObject[]).some(refers);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const own = fields.filter(([, it]) => refers(it)).map(([name]) => name);
  return [...own, ...Object.values(schema).flatMap(stateFields)];
}
const target = new RegExp(`"(?:${[...new Set(stateFields(journeySchema))].join('|')})":"(\\w+)"`, 'g');

/** States as a graph of their own; states that are not shown just succeed. */
function withEnds(states: JsonObject): JsonObject {
  const targets = [...JSON.stringify(states).matchAll(target)].map(([, it]) => it!);
  const missing = targets.filter((it) => !Object.hasOwn(states, it));
  return {
    start: Object.keys(states)[0]!,
    states: { ...states, ...Object.fromEntries(missing.map((it) => [it, { type: 'succeed' }])) },
  };
}

/** The errors of an example, checked by its kind. */
function faultsOf({ page, text }: Block): unknown {
  const value = parse(text) as JsonObject;
  const [first] = Object.keys(value) as [string];
  if (value.kind === 'Pipeline') {
    const whole = { apiVersion: 'v1', metadata: { name: 'piece', version: '1.0.0' }, ...value };
    return violations(pipelineSchema, whole);
  }
  if ('scenarios' in value) return violations(text.includes('do:') ? pipelineScenarioSchema : scenarioSchema, value);
  if (first === 'backend' || first === 'until')
    return violations(scenarioSchema, { scenarios: { piece: { ...scenario, ...value } } });
  const isState = typeof (value[first] as JsonObject | null)?.type === 'string';
  const ofFields = page === 'docs/reference.md';
  const piece = isState ? journey(withEnds(value)) : ofFields ? withBlock(value) : around[first]?.(value);
  const whole = 'kind' in value ? value : ofFields ? withReferred(piece!) : piece;
  if (whole !== undefined) {
    // An excerpt leaves out states that lead to others.
    const { findings } = load({ text: JSON.stringify(whole) }, { catalogue });
    return findings.filter(({ severity }) => severity === 'error');
  }
  const config = parse(text.replaceAll(/sha256:[0-9a-f]*…/g, `sha256:${'0'.repeat(64)}`)) as Json;
  return schemaFindings(configSchema, config, () => ({}));
}

describe('examples in README and docs', () => {
  it.each(named('yaml'))('%s is valid', (_, block) => {
    expect(faultsOf(block)).toEqual([]);
  });

  it.each(named('json'))('%s is valid JSON', (_, { text }) => {
    // `…` marks an omission, and comments are for readers.
    const filled = text.replaceAll(/ +\/\/ .*$/gm, '').replaceAll(/(?<=[{[] ?)…(?= ?[\]}])/g, '');
    expect(() => JSON.parse(filled)).not.toThrow();
  });

  it('are fenced, so that these tests find them', () => {
    const indented = pages.filter((page) =>
      /\n\n {4}(?![-*\d ])\S/.test(pageText(page).replaceAll(/```[\s\S]*?\n```/g, '')),
    );
    expect(indented.filter((page) => page !== 'docs/errors.md')).toEqual([]);
  });

  it('in README are the journey and the pipeline in specs', () => {
    const spec = (path: string) =>
      parse(readFileSync(new URL(`../../../specs/${path}`, import.meta.url), 'utf8')) as JsonObject;
    const [hello, vans] = blocksOf('README.md')
      .filter(({ lang }) => lang === 'yaml')
      .map(({ text }) => parse(text) as JsonObject);
    const whole = (spec('hello.journey.yaml').spec as JsonObject).states as JsonObject;
    const same = (value: Json) => JSON.parse(JSON.stringify(value).replaceAll('\\n"', '"')) as Json;
    expect(same(hello!.states!)).toEqual(same(whole));
    expect(spec('pipelines/vans.pipeline.yaml').spec).toMatchObject({
      consumers: (vans!.spec as JsonObject).consumers,
    });
  });
});
