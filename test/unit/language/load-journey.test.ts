import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { type LoadOptions, load } from '../../../src/language/load-journey.js';
import type { HttpCallTask } from '../../../src/language/tasks/http-call/http-call.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';
import { call, doc, mapper, state, task } from './cases/case.js';
import { catalogue as teas } from './cases/tasks.js';

const fixtures = new URL('../../fixtures/', import.meta.url).pathname;
let options: LoadOptions;
beforeAll(async () => {
  options = { catalogue: (await readApiCatalogue({ root: fixtures })).catalogue };
});

async function fixture(name: string, more: LoadOptions = {}): Promise<Definition> {
  const path = `${fixtures}journeys/${name}`;
  const { definition, findings } = load({ text: await readFile(path, 'utf8'), path }, { ...options, ...more });
  expect(findings).toEqual([]);
  return definition!;
}

function definitionOf(text: string, more: LoadOptions = {}): Definition {
  const { definition, findings } = load({ text }, { ...options, ...more });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return definition!;
}

function httpTask(text: string) {
  const found = definitionOf(text).states.a;
  return found?.type === 'task' ? found.task : undefined;
}

it.each([
  ['order', 'cups=2', {}, 'application/x-www-form-urlencoded'],
  ['change', '{"cups": "${context.cups}"}', {}, 'application/json'],
  ['change', 'cups', { 'content-type': 'text/csv' }, 'text/csv'],
  ['change', { cups: 2 }, {}, undefined],
])('JL-11 a text is sent in the type that the operation %s expects: %j', (id, body, headers, type) => {
  const fields = { kind: 'httpCall:v1', operationRef: `tea.${id}`, headers, body, resultVar: 'r' };
  const states = `a: { type: task, task: ${JSON.stringify(fields)}, next: end }\nend: { type: succeed }`;
  const text = doc({ spec: 'apis: { tea: { openApiRef: apis/tea.openapi.yaml } }', states });
  const { a } = definitionOf(text, { catalogue: teas }).states;
  const sent = a?.type === 'task' ? (a.task as HttpCallTask).headers : {};
  expect(Object.entries(sent).find(([name]) => /^content-type$/i.test(name))?.[1]).toBe(type);
});

describe('a document that uses every feature', () => {
  it('loads without a finding, in strict mode too', async () => {
    await fixture('harvest.journey.yaml');
    await fixture('harvest.journey.yaml', { compat: false });
    await fixture('quote.journey.yaml', { compat: false });
  });

  it.each([true, false])('reads `output` where the language binds it implicitly, compat %s', (compat) => {
    const when = { predicate: { lang: 'dataweave', expr: 'output.status == "PARTLY"' } };
    const spec = {
      outcomes: { Partly: { when: { phase: 'SUCCEEDED', ...when } } },
      compensation: { start: 'c', alsoFor: [{ when }], states: { c: { type: 'succeed' } } },
    };
    const text = doc({
      spec: Object.entries(spec)
        .map(([key, it]) => `${key}: ${JSON.stringify(it)}`)
        .join('\n'),
    });
    expect(load({ text }, { compat }).findings).toEqual([]);
    const elsewhere = state(
      'type: choice\nchoices: [{ when: { predicate: { lang: dataweave, expr: output.x } }, next: end }]',
    );
    expect(load({ text: doc({ states: elsewhere }) }, { compat }).findings.map(({ code }) => code)).toContain(
      compat ? 'DW-D6' : 'DW_PARSE_ERROR',
    );
  });

  it.each([true, false])(
    'JL-11 JL-17.6 accepts the examples of the language: status in output.response, bindings.cli, compat %s',
    (compat) => {
      const response =
        '{ outputVar: r, schema: { type: object, required: [status], properties: { status: { type: string } } } }';
      const text = doc({
        spec: `input: { schema: { properties: { r: {} } } }\noutput: { response: ${response} }\nbindings: { cli: {} }`,
      });
      expect(load({ text }, { compat }).findings).toEqual([]);
    },
  );

  it('binds `outcome` in subjourneys that a compensation calls, directly or not, and in no others', () => {
    const mapped = (next: string) =>
      `type: transform, transform: { mapper: { lang: dataweave, expr: '{ why: outcome.error.code }' } }, next: ${next}`;
    const called = (ref: string) =>
      `{ start: s, states: { s: { type: subjourney, subjourney: { ref: ${ref} }, next: e }, e: { type: succeed } } }`;
    const text = doc({
      spec: `compensation: ${called('outer')}
subjourneys:
  outer: ${called('inner')}
  inner: { start: t, states: { t: { ${mapped('e')} }, e: { type: succeed } } }
  other: { start: t, states: { t: { ${mapped('e')} }, e: { type: succeed } } }`,
      states: 'a: { type: subjourney, subjourney: { ref: other }, next: end }\nend: { type: succeed }',
    });
    const { findings } = load({ text });
    expect(findings.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['DW-D14', '/spec/subjourneys/other/states/t/transform/mapper/expr'],
    ]);
  });

  it('becomes one self-contained form', async () => {
    const definition = await fixture('harvest.journey.yaml');
    expect(definition).toMatchObject({
      kind: 'Journey',
      name: 'harvest',
      version: '2.1.0',
      tags: ['orchard', 'seasonal'],
      lifecycle: { cancellable: false, startMode: 'async' },
      links: false,
      execution: { maxDurationSec: 864_000, onTimeout: { errorCode: 'SEASON_OVER' } },
      output: { response: { outputVar: 'summary' } },
      platformConfig: { baseUrl: { type: 'string', required: true }, limits: { type: 'object', required: false } },
      access: { read: { guardRef: 'mayRead' } },
      cookies: {
        domains: ['.orchard.example'],
        returnToClient: { mode: 'filtered', names: ['basket'], namePatterns: ['^tree-'] },
      },
      compensation: { mode: 'sync', start: 'pause', alsoFor: [{ when: { lang: 'dataweave' } }, {}] },
    });
    expect(definition.metadata).toEqual({
      tags: [
        { from: 'payload', path: ['fruit'] },
        { from: 'header', header: 'X-Season' },
        { from: 'baggage', key: 'field' },
      ],
      attributes: [
        { name: 'treeId', from: 'payload', path: ['treeId'] },
        { name: 'tenantId', from: 'header', header: 'X-Tenant' },
        { name: 'channel', from: 'baggage', key: 'channel' },
      ],
    });
    expect(definition.outcomes.map(({ id, phase }) => [id, phase])).toEqual([
      ['Rich', 'SUCCEEDED'],
      ['Lost', 'FAILED'],
    ]);
  });

  it.each(['yaml', 'json'])('JL-A48 preserves the order of named outcomes with numeric ids (%s)', (form) => {
    const outcomes =
      '{ "404": { "when": { "phase": "SUCCEEDED" } }, "late": { "when": { "phase": "FAILED" } }, "200": { "when": { "phase": "SUCCEEDED" } } }';
    const text = `{ "apiVersion": "v1", "kind": "Journey", "metadata": { "name": "tea", "version": "1.0.0" }, "spec": { "start": "a", "states": { "a": { "type": "succeed" } }, "outcomes": ${outcomes} } }`;
    const { definition } = load({ text, path: `tea.journey.${form}` });
    expect(definition?.outcomes.map(({ id }) => id)).toEqual(['404', 'late', '200']);
  });

  it('resolves operations, mappers, policies and defaults into the call', async () => {
    const { states } = await fixture('harvest.journey.yaml');
    expect(states.tree).toMatchObject({
      type: 'task',
      task: {
        method: 'PUT',
        url: 'https://north.orchard.example/v2/trees/{treeId}',
        operation: 'orchard.pruneTree',
        path: { treeId: '${context.treeId}' },
        query: { depth: '2' },
        headers: { 'X-Source': 'harvest', 'Accept-Language': 'de', 'X-Gardener': '${context.gardener}' },
        body: { mapper: { lang: 'dataweave', expr: '{ fruit: context.fruit }' } },
        timeoutMs: 4000,
        retry: { maxAttempts: 2, retryOn: ['NETWORK_ERROR', 'HTTP_5XX'] },
        authPolicy: {
          kind: 'oauth2ClientCredentials',
          form: { scope: 'trees.read', grant_type: 'client_credentials' },
        },
        errorMapping: { target: { kind: 'path', path: ['problem', 'tree'] } },
        useJar: false,
      },
    });
    const headers = states.tree?.type === 'task' ? Object.keys((states.tree.task as HttpCallTask).headers) : [];
    expect(headers).not.toContain('accept-language');
    expect(states.order).toMatchObject({
      task: { timeoutMs: 900, run: 'activity', body: { json: { baskets: 3 } }, retry: { maxAttempts: 4 } },
    });
    expect(states.tellAll).toMatchObject({ task: { mode: 'notify', body: { text: 'tree ${context.treeId}' } } });
    expect(states.tellAll).not.toHaveProperty('task.retry');
  });

  it('reads the same journey from JSON, including tabs', async () => {
    const { states, start } = await fixture('greet.journey.json');
    expect([start, Object.keys(states)]).toEqual(['hello', ['hello', 'bye']]);
  });

  it('is plain JSON, so that the input of a run equals it', async () => {
    const definition = await fixture('harvest.journey.yaml');
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  });

  it('has the responses of the Api', async () => {
    const { http } = await fixture('quote.journey.yaml');
    expect(http.route).toEqual({ path: '/apis/price-quote', method: 'POST' });
    expect(http.apiResponses).toMatchObject({
      rules: [{ errorType: 'NO_STOCK', status: 409 }, { statusExpr: { lang: 'dataweave' } }],
      default: { SUCCEEDED: { status: 201 } },
    });
    expect(http.apiResponses?.default).not.toHaveProperty('FAILED');
  });
});

describe('compatibility spellings are normalised', () => {
  it('C1: default to next', () => {
    const inner = definitionOf(
      doc({ states: state('type: wait\nwait: { channel: manual, input: { schema: true }, default: end }') }),
    );
    const outer = definitionOf(
      doc({ states: state('type: webhook\nwebhook: { input: { schema: true } }\ndefault: end') }),
    );
    expect([inner.states.a, outer.states.a]).toMatchObject([{ next: 'end' }, { next: 'end' }]);
  });

  it('C2 and C6: the target of a transform', () => {
    const variable = definitionOf(
      doc({
        states: state(`type: transform\ntransform: { ${mapper}, target: { kind: var } }\nresultVar: r\nnext: end`),
      }),
    );
    expect(variable.states.a).toMatchObject({ target: { kind: 'var', name: 'r' } });
    const root = definitionOf(
      doc({
        states: state(`type: transform\ntransform: { ${mapper}, target: { kind: context, path: "" } }\nnext: end`),
      }),
    );
    expect(root.states.a).toMatchObject({ target: { kind: 'root' } });
  });

  it('C3 and C4: params of a call by URL', () => {
    const text = doc({
      states: call(
        'resultVar: r\nheaders: { accept: a/b, X-One: "1" }\nparams: { headers: { Accept: c/d }, query: { cups: 2 }, body: green }',
      ),
    });
    expect(httpTask(text)).toMatchObject({
      headers: { 'X-One': '1', Accept: 'c/d' },
      query: { cups: '2' },
      body: { text: 'green' },
    });
    expect(Object.keys((httpTask(text) as unknown as { headers: object }).headers)).toEqual(['X-One', 'Accept']);
  });

  it('C14 and C15: attributes and backoff', () => {
    const { metadata } = definitionOf(
      doc({ spec: 'metadata: { bindings: { attributes: { who: { header: X-Who } } } }' }),
    );
    expect(metadata.attributes).toEqual([{ name: 'who', from: 'header', header: 'X-Who' }]);
    const text = doc({
      spec: 'policies: { httpResilience: { default: p, definitions: { p: { maxAttempts: 2, backoff: { initialDelayMs: 10, factor: 3 } } } } }',
      states: call('resultVar: r'),
    });
    expect(httpTask(text)).toMatchObject({
      retry: { backoff: { kind: 'exponential', baseDelayMs: 10, multiplier: 3 } },
    });
  });

  it('C16: response in the step', () => {
    const { states } = definitionOf(
      doc({
        states: state('type: webhook\nwebhook: { input: { schema: true } }\nresponse: { outputVar: r }\nnext: end'),
      }),
    );
    expect(states.a).toMatchObject({ response: { outputVar: 'r' } });
  });

  it('C10, C12, C17: terminal parallel, computed timer, unknown policy', () => {
    const parallel = `a: { type: parallel, parallel: { branches: [{ name: x, start: s, states: { s: { type: succeed } } }], join: { strategy: anyOf } } }`;
    expect(definitionOf(doc({ states: parallel })).states.a).not.toHaveProperty('next');
    const timer = definitionOf(
      doc({ states: state('type: timer\ntimer: { duration: "PT${context.minutes}M" }\nnext: end') }),
    );
    expect(timer.states.a).toMatchObject({ duration: { text: 'PT${context.minutes}M' } });
    expect(httpTask(doc({ states: call('resultVar: r\nresiliencePolicyRef: gone') }))).not.toHaveProperty('retry');
  });
});

describe('names from prototypes are ordinary names', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', (name) => {
    const text = doc({
      spec: `subjourneys: { ${name}: { start: ${name}, states: { ${name}: { type: succeed } } } }\nmappers: { ${name}: { lang: dataweave, expr: "{}" } }\noutcomes: { ${name}: { when: { phase: FAILED } } }`,
      start: name,
      states: `${name}: { type: subjourney, subjourney: { ref: ${name} }, next: t }\nt: { type: transform, transform: { mapperRef: ${name}, target: { kind: var }, resultVar: ${name} }, next: e }\ne: { type: succeed }`,
    });
    const { start, states, subjourneys } = definitionOf(text);
    expect(start).toBe(name);
    expect(Object.keys(states)).toEqual([name, 't', 'e']);
    expect(Object.keys(subjourneys)).toEqual([name]);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });

  it('which are unknown unless the document defines them', () => {
    const { findings } = load({
      text: doc({
        states: task(
          'kind: httpCall:v1\nmethod: GET\nurl: https://tea.example\nresultVar: r\nresiliencePolicyRef: constructor',
        ),
      }),
    });
    expect(findings).toMatchObject([{ code: 'POLICY_UNKNOWN' }]);
  });
});

describe('findings', () => {
  it('are reported together, in the order of the document', () => {
    const text = doc({
      spec: 'lifecycle: { startMode: later }\nexecution: { maxDurationSec: 0 }',
      states: `a: { type: timer, timer: { duration: soon }, next: b }\nb: { type: fail }\nc: { type: choise }`,
    });
    const { findings } = load({ text });
    expect(findings.map(({ code }) => code)).toEqual([
      'LIFECYCLE_ENUM',
      'EXEC_ONTIMEOUT',
      'EXEC_DURATION',
      'TIMER_DURATION',
      'FAIL_FIELDS',
      'FAIL_FIELDS',
      'STATE_TYPE',
    ]);
    const places = findings.map(({ line = 0, column = 0 }) => line * 1000 + column);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});

it.each(['{ mapper: { lang: dataweave, expr: "{}" } }', '{ mapperRef: plain }', '{ lang: dataweave, expr: "{}" }'])(
  'a normaliser may be written as %s',
  (normaliser) => {
    const text = `apiVersion: v1
kind: Journey
metadata: { name: probe, version: 1.0.0 }
spec:
  start: a
  states: { a: { type: succeed } }
  mappers: { plain: { lang: dataweave, expr: "{}" } }
  errors: { normalisers: { downstream: ${normaliser} } }
`;
    expect(load({ text }).findings).toEqual([]);
  },
);
