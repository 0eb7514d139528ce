import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import { arazzoOf } from '../../../../src/language/exports/generate-arazzo.js';
import { gatewayOpenApi, openApiOf } from '../../../../src/language/exports/generate-openapi.js';
import { load } from '../../../../src/language/load-journey.js';
import { arazzoFaults, openApiFaults } from '../../../support/export-validity.js';

const root = new URL('../../../../', import.meta.url);
const base = parse(readFileSync(new URL('docs/openapi.yaml', root), 'utf8')) as JsonObject;
const folder = new URL('test/fixtures/exports/', root);
const loaded = new Map<string, Definition>(
  readdirSync(folder).map((file) => {
    const { definition } = load({ text: readFileSync(new URL(file, folder), 'utf8') });
    return [definition!.name, definition!];
  }),
);
const parcel = loaded.get('parcel-return')!;

/** The value at a path of keys. */
function at(value: Json | undefined, ...path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, key) => (found as JsonObject | undefined)?.[key], value);
}

function document(name: string): JsonObject {
  return openApiOf(loaded.get(name)!, base);
}

/** A journey with the given spec. */
function journey(spec: JsonObject, name = 'made'): Definition {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata: { name, version: '1.0.0' }, spec });
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
}

const wait = (schema: Json, next = 'end') => ({ type: 'wait', wait: { channel: 'manual', input: { schema } }, next });

it.each([...loaded.keys()])('%s: exports valid, self-contained OpenAPI 3.1 and Arazzo 1.0', async (name) => {
  const openApi = document(name);
  expect(await openApiFaults(openApi)).toEqual([]);
  const definition = loaded.get(name)!;
  if (definition.kind === 'Journey') expect(arazzoFaults(arazzoOf(definition, 'x.yaml'), openApi)).toEqual([]);
});

it('the document of the whole gateway is valid, and so is its base document', async () => {
  expect(await openApiFaults(base)).toEqual([]);
  expect(await openApiFaults(gatewayOpenApi(base, [...loaded.values()]))).toEqual([]);
});

it('a journey has operations for start, status, result, steps and cancel', () => {
  expect(Object.keys(document('parcel-return').paths as JsonObject)).toEqual([
    '/journeys/parcel-return/start',
    '/journeys/{journeyId}',
    '/journeys/{journeyId}/result',
    '/journeys/{journeyId}/steps/inspect',
    '/journeys/{journeyId}/steps/carrier',
    '/journeys/{journeyId}/steps/cancel',
  ]);
  const reminder = document('reminder-7');
  expect(Object.keys(reminder.paths as JsonObject)).not.toContain('/journeys/{journeyId}/steps/cancel');
  const answers = at(reminder, 'paths', '/journeys/reminder-7/start', 'post', 'responses') as JsonObject;
  expect([answers[200], answers[202] !== undefined]).toEqual([undefined, true]);
});

it('references of schemas, including anchors, are rewritten to their new place', () => {
  const schema = at(document('parcel-return'), 'components', 'schemas', 'parcelReturn_startRequest');
  const here = '#/components/schemas/parcelReturn_startRequest';
  expect(at(schema, 'properties', 'parcel')).toEqual({ $ref: `${here}/$defs/parcel` });
  expect(at(schema, 'properties', 'note')).toEqual({ $ref: `${here}/$defs/text` });
  expect(at(schema, '$defs', 'text')).toEqual({ type: 'string', maxLength: 50 });
});

it('properties named like keywords stay properties, and data is not rewritten', () => {
  const schema = {
    properties: { $ref: { type: 'string' }, enum: { $ref: '#/$defs/a' } },
    $defs: { a: { const: { $ref: '#x' }, examples: [{ $ref: '#/components/schemas/None' }] } },
  };
  const odd = journey({ input: { schema }, start: 'end', states: { end: { type: 'succeed' } } });
  expect(at(openApiOf(odd, base), 'components', 'schemas', 'made_startRequest')).toEqual({
    type: 'object',
    properties: { $ref: { type: 'string' }, enum: { $ref: '#/components/schemas/made_startRequest/$defs/a' } },
    $defs: schema.$defs,
  });
});

it('a schema with ids inside it is embedded as a document with its own id', async () => {
  const named = { $defs: { b: { $id: 'b', type: 'string' } }, $ref: 'b' };
  const made = openApiOf(journey({ start: 'step', states: { step: wait(named), end: { type: 'succeed' } } }), base);
  expect(await openApiFaults(made)).toEqual([]);
  expect(at(made, 'components', 'schemas', 'made_step_input')).toEqual({
    $id: 'https://journeyman.invalid/schemas/made/step_input',
    ...named,
  });
});

it('a body requires fields only if parameters cannot supply them', () => {
  const start = at(document('parcel-return'), 'paths', '/journeys/parcel-return/start', 'post');
  expect(at(document('parcel-return'), 'components', 'schemas', 'parcelReturn_startRequest', 'required')).toEqual([
    'parcel',
  ]);
  expect(at(start, 'requestBody', 'required')).toBe(true);
  const names = (at(start, 'parameters') as JsonObject[]).map(
    ({ in: where, name }) => `${String(where)} ${String(name)}`,
  );
  expect(names).toEqual(expect.arrayContaining(['header X-Tenant', 'query channel']));
  expect(
    at(document('quote-maker'), 'paths', '/journeys/quote-maker/start', 'post', 'requestBody', 'required'),
  ).toBeUndefined();
});

it('the key that a callback requires is a parameter of its step', () => {
  const guarded = journey({
    start: 'called',
    states: {
      called: { type: 'webhook', webhook: { input: { schema: true } }, next: 'check' },
      check: {
        type: 'task',
        task: { kind: 'apiKeyValidate:v1', source: { location: 'header', name: 'X-Partner' } },
        next: 'end',
      },
      end: { type: 'succeed' },
    },
  });
  const paths = openApiOf(guarded, base).paths;
  const names = (path: string) => (at(paths, path, 'post', 'parameters') as JsonObject[]).map(({ name }) => name);
  expect(names('/journeys/{journeyId}/steps/called')).toContain('X-Partner');
  expect(names('/journeys/made/start')).not.toContain('X-Partner');
});

it('a step submitted by another system has parameters for its token and signature', () => {
  const signature = {
    header: 'X-Sign',
    content: '{timestamp}.{header:X-Nonce}.{body}',
    timestamp: { header: 'X-Time' },
    secretRef: 'secret://a/b',
  };
  const expr = 'platform.run.callbacks.called';
  const signed = journey({
    start: 'called',
    states: {
      called: { type: 'webhook', webhook: { input: { schema: true }, signature }, next: 'tell' },
      tell: { type: 'transform', transform: { mapper: { lang: 'jsonata', expr }, resultVar: 'url' }, next: 'end' },
      end: { type: 'succeed' },
    },
  });
  const parameters = at(openApiOf(signed, base), 'paths', '/journeys/{journeyId}/steps/called', 'post', 'parameters');
  const names = (parameters as JsonObject[]).map(({ in: where, name }) => `${String(where)} ${String(name)}`);
  expect(names).toEqual(expect.arrayContaining(['query callback', 'header x-sign', 'header x-time', 'header x-nonce']));
});

it('a step with a fixed URL has an operation with its body and signature', () => {
  const webhook = {
    input: { schema: { type: 'object', required: ['id'] } },
    signature: { preset: 'github', secretRef: 'secret://a/b' },
    correlate: { expr: 'payload.id' },
  };
  const fixed = journey({
    key: { expr: 'context.id' },
    start: 'called',
    states: { called: { type: 'webhook', webhook, next: 'end' }, end: { type: 'succeed' } },
  });
  const { paths } = openApiOf(fixed, base) as { paths: JsonObject };
  const path = Object.keys(paths).find((it) => it.startsWith('/hooks/'))!;
  expect(path).toMatch(/^\/hooks\/\w+\/called$/);
  const operation = at(paths, path, 'post') as JsonObject;
  expect(operation).toMatchObject({ security: [], requestBody: { required: true } });
  expect(String(operation.operationId)).toMatch(/_hook_called$/);
  const names = (operation.parameters as JsonObject[]).map(({ name }) => name);
  expect(names).toContain('x-hub-signature-256');
});

it('a projection adds optional fields and allows others', () => {
  const { paths, components } = document('parcel-return');
  const step = at(
    paths,
    '/journeys/{journeyId}/steps/inspect',
    'post',
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
  );
  expect(step).toEqual({
    allOf: [
      { $ref: '#/components/schemas/JourneyStatus' },
      { $ref: '#/components/schemas/parcelReturn_inspect_response' },
    ],
  });
  expect(at(components, 'schemas', 'parcelReturn_inspect_response')).toEqual({
    type: 'object',
    properties: { verdict: { type: 'string' } },
  });
  const result = at(
    paths,
    '/journeys/{journeyId}/result',
    'get',
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
  );
  expect(result).toEqual({
    allOf: [
      { $ref: '#/components/schemas/JourneyOutcome' },
      {
        type: 'object',
        properties: {
          output: { $ref: '#/components/schemas/parcelReturn_output' },
          outcomeId: { type: 'string', enum: ['Taken', 'Refused'] },
        },
      },
      { $ref: '#/components/schemas/parcelReturn_outcomeFields' },
    ],
  });
});

it('errors of a journey with an envelope have its shape or that of a problem; earlier errors are problems', () => {
  const responses = at(
    document('quote-maker'),
    'paths',
    '/journeys/quote-maker/start',
    'post',
    'responses',
  ) as JsonObject;
  expect(Object.keys(at(responses, '400', 'content') as JsonObject)).toEqual([
    'application/json',
    'application/problem+json',
  ]);
  expect(responses[401]).toEqual({ $ref: '#/components/responses/Unauthenticated' });
});

it('an Api has its route and the statuses of its rules', () => {
  const responses = at(document('price-check'), 'paths', '/shop/price', 'post', 'responses') as JsonObject;
  const problem = { $ref: '#/components/schemas/Problem' };
  const output = { $ref: '#/components/schemas/priceCheck_output' };
  for (const status of ['200', '201'])
    expect(at(responses, status, 'content', 'application/json', 'schema')).toEqual(output);
  for (const status of ['404', '422', '500']) expect(responses[status], status).toBeDefined();
  expect(at(responses, '422', 'description')).toBe('The Api failed, and its rules chose this status.');
  expect(at(responses, '422', 'content', 'application/problem+json', 'schema')).toEqual(problem);
  expect(at(base, 'components', 'responses', 'Unexpected', 'content', 'application/problem+json', 'schema')).toEqual(
    problem,
  );
});

it('a status that is computed may be any, with output or problem', () => {
  const definition = structuredClone(loaded.get('price-check')!);
  definition.http.apiResponses = { rules: [{ statusExpr: { lang: 'dataweave', expr: '200' } }] };
  const responses = at(openApiOf(definition, base), 'paths', '/shop/price', 'post', 'responses');
  expect(Object.keys(at(responses, 'default', 'content') as JsonObject).sort()).toEqual([
    'application/json',
    'application/problem+json',
  ]);
});

it('an Api that fails with a status of the gateway’s own has its envelope', () => {
  const definition = structuredClone(loaded.get('price-check')!);
  definition.http.apiResponses = { rules: [{ phase: 'FAILED', status: 401 }] };
  definition.errors = { envelope: { lang: 'dataweave', expr: '{ code: payload.code }' } };
  const responses = at(openApiOf(definition, base), 'paths', '/shop/price', 'post', 'responses');
  const types = (status: string) => Object.keys(at(responses, status, 'content') as JsonObject);
  expect(types('401')).toEqual(['application/json', 'application/problem+json']);
  expect(at(responses, '403')).toEqual({ $ref: '#/components/responses/Forbidden' });
});

it('in the document of the gateway, a step of two journeys accepts the input of either', () => {
  const made = gatewayOpenApi(base, [...loaded.values()]);
  const step = at(made, 'paths', '/api/v1/journeys/{id}/steps/inspect', 'post');
  expect(at(step, 'requestBody', 'content', 'application/json', 'schema')).toEqual({
    anyOf: [
      { $ref: '#/components/schemas/parcelReturn_inspect_input' },
      { $ref: '#/components/schemas/reminder7_inspect_input' },
    ],
  });
  expect(at(step, 'requestBody', 'required')).toBeUndefined();
  expect(at(step, 'tags')).toEqual(['parcel-return', 'reminder-7']);
});

it('journeys with names that would map to one identifier keep their names', async () => {
  const end = { start: 'end', states: { end: { type: 'succeed' } } };
  const made = gatewayOpenApi(base, [journey(end, 'a-1'), journey(end, 'a1')]);
  expect(await openApiFaults(made)).toEqual([]);
  expect(at(made, 'paths', '/api/v1/journeys/a-1/start', 'post', 'operationId')).toBe('a-1_start');
});

it('steps may be named like operations, or with characters that a path must encode', async () => {
  const odd = journey({
    start: 'start',
    states: { start: wait(true, '{a b}'), '{a b}': wait(false), end: { type: 'succeed' } },
  });
  const made = openApiOf(odd, base);
  expect(await openApiFaults(made)).toEqual([]);
  expect(arazzoFaults(arazzoOf(odd, 'x.yaml'), made)).toEqual([]);
  expect(at(made, 'paths', '/journeys/{journeyId}/steps/%7Ba%20b%7D', 'post', 'operationId')).toBe('made_{a b}');
  expect(at(made, 'paths', '/journeys/{journeyId}/steps/start', 'post', 'operationId')).toBe('made_step_start');
});

it('LESS-9 a step in the items of a map has the item in its path, and a workflow has it as an input', async () => {
  const each = {
    type: 'map',
    map: { items: 'context.of', start: 'ask', states: { ask: wait(true, 'done'), done: { type: 'succeed' } } },
    next: 'end',
  };
  const made = openApiOf(journey({ start: 'each', states: { each, end: { type: 'succeed' } } }), base);
  expect(await openApiFaults(made)).toEqual([]);
  const path = '/journeys/{journeyId}/steps/ask/{item}';
  expect(at(made, 'paths', path, 'post', 'operationId')).toBe('made_ask');
  expect(made.paths).not.toHaveProperty(['/journeys/{journeyId}/steps/ask']);
  const arazzo = arazzoOf(journey({ start: 'each', states: { each, end: { type: 'succeed' } } }), 'x.yaml');
  expect(arazzoFaults(arazzo, made)).toEqual([]);
  const [workflow] = arazzo.workflows as JsonObject[];
  const submit = (workflow!.steps as JsonObject[]).find(({ stepId }) => stepId === 'submit-ask');
  expect(submit?.parameters).toContainEqual({ name: 'item', in: 'path', value: '$inputs.ask_item' });
  expect(at(workflow!, 'inputs', 'properties', 'ask_item', 'type')).toBe('string');
});

it('the path of an Api is percent-encoded', async () => {
  const text = (path: string) =>
    `{ apiVersion: v1, kind: Api, metadata: { name: odd, version: 1.0.0 }, spec: { bindings: { http: { route: { path: '${path}' }, start: { pathToContext: { id: id } } } }, start: end, states: { end: { type: succeed } } } }`;
  const made = openApiOf(load({ text: text('/käse/{x}:y/{id}/%2F') }).definition!, base);
  expect(await openApiFaults(made)).toEqual([]);
  expect(Object.keys(made.paths as object)).toEqual(['/k%C3%A4se/%7Bx%7D:y/{id}/%2F']);
});

/** The workflows of a journey: name → step ids. */
function workflows(definition: Definition): Record<string, string[]> {
  const made = arazzoOf(definition, 'x.yaml').workflows as JsonObject[];
  return Object.fromEntries(
    made.map((it) => [String(it.workflowId), (it.steps as JsonObject[]).map(({ stepId }) => String(stepId))]),
  );
}

it('there is a workflow for each end, the happy path first, without callbacks', () => {
  expect(workflows(parcel)).toEqual({
    'parcel-return-happy-path': ['start', 'submit-inspect', 'result'],
    'parcel-return-to-refused': ['start', 'submit-inspect', 'result'],
  });
});

it('in a race the happy path uses the step of the client; after an async start it polls first', () => {
  expect(workflows(loaded.get('reminder-7')!)).toEqual({
    'reminder-7-happy-path': ['start', 'await-inspect', 'submit-inspect', 'result'],
  });
});

it('a step of a subjourney that is called twice is submitted twice', () => {
  const call = (next: string) => ({ type: 'subjourney', subjourney: { ref: 'ask' }, next });
  const twice = journey({
    start: 'one',
    states: { one: call('two'), two: call('end'), end: { type: 'succeed' } },
    subjourneys: { ask: { start: 'question', states: { question: wait(true), end: { type: 'succeed' } } } },
  });
  expect(workflows(twice)).toEqual({
    'made-happy-path': ['start', 'submit-question', 'submit-question-2', 'result'],
  });
  expect(arazzoFaults(arazzoOf(twice, 'x.yaml'), openApiOf(twice, base))).toEqual([]);
});

it('GAP-24 every step of the client is in a workflow, on whichever path it is', () => {
  const when = (next: string) => ({ when: { predicate: { lang: 'dataweave', expr: 'context.x' } }, next });
  const asking = (next: string) => ({ type: 'wait', wait: { channel: 'manual', input: { schema: true } }, next });
  const detours = journey({
    start: 'which',
    states: {
      which: { type: 'choice', choices: [when('more'), when('sub'), when('race')], default: 'end' },
      more: asking('evenMore'),
      evenMore: asking('end'),
      sub: { type: 'subjourney', subjourney: { ref: 'ask' }, next: 'end' },
      race: {
        type: 'parallel',
        parallel: {
          branches: [
            { name: 'quick', start: 'first', states: { first: asking('done'), done: { type: 'succeed' } } },
            {
              name: 'slow',
              start: 'second',
              states: { second: asking('third'), third: asking('done'), done: { type: 'succeed' } },
            },
          ],
          join: { strategy: 'anyOf', mapper: { lang: 'dataweave', expr: '1' }, resultVar: 'r' },
        },
        next: 'end',
      },
      end: { type: 'succeed' },
    },
    subjourneys: {
      ask: {
        start: 'how',
        states: {
          how: { type: 'choice', choices: [when('question')], default: 'done' },
          question: asking('done'),
          done: { type: 'succeed' },
        },
      },
    },
  });
  expect(workflows(detours)).toEqual({
    'made-happy-path': ['start', 'result'],
    'made-through-more': ['start', 'submit-more', 'submit-evenMore', 'result'],
    'made-through-first': ['start', 'submit-first', 'result'],
    'made-through-second': ['start', 'submit-second', 'submit-third', 'result'],
    'made-through-question': ['start', 'submit-question', 'result'],
  });
  expect(arazzoFaults(arazzoOf(detours, 'x.yaml'), openApiOf(detours, base))).toEqual([]);
});

it('a journey that can only fail has a happy path too', () => {
  const never = journey({ start: 'no', states: { no: { type: 'fail', errorCode: 'NO', reason: 'No.' } } });
  expect(Object.keys(workflows(never))).toEqual(['made-happy-path']);
});

it('JL-2.8.4 JL-12.4 shows headers that classify a run, and a response that is only described', () => {
  const it = wait(true);
  const step = { ...it, wait: { ...it.wait, response: { schema: { type: 'object', properties: { total: {} } } } } };
  const bindings = {
    tags: { fromHeaders: [{ header: 'X-Journey-Tag' }], fromBaggage: [{ key: 'tag' }] },
    attributes: { fromHeaders: { tenantId: { header: 'X-Tenant-Id' } }, fromBaggage: { exp: { key: 'exp' } } },
  };
  const states = { ask: step, end: { type: 'succeed' } };
  const { paths } = openApiOf(journey({ start: 'ask', states, metadata: { bindings } }), base);
  const parameters = at(paths as Json, '/journeys/made/start', 'post', 'parameters') as JsonObject[];
  expect(parameters.flatMap(({ name }) => name ?? [])).toEqual(['X-Journey-Tag', 'baggage', 'X-Tenant-Id']);
  const answer = at(paths as Json, '/journeys/{journeyId}/steps/ask', 'post', 'responses', '200', 'content');
  expect(at(answer, 'application/json', 'schema', 'allOf')).toHaveLength(2);
});
