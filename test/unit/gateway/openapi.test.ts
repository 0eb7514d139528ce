import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Route } from '../../../src/gateway/route.js';
import { attentionRoutes } from '../../../src/gateway/routes/attention.js';
import { bulkRunRoutes } from '../../../src/gateway/routes/bulk-runs.js';
import { channelRoutes } from '../../../src/gateway/routes/channels.js';
import { codecRoutes } from '../../../src/gateway/routes/codec-server.js';
import { hookRoutes } from '../../../src/gateway/routes/correlated-step-hooks.js';
import { definitionRoutes } from '../../../src/gateway/routes/definitions.js';
import { probeRoutes } from '../../../src/gateway/routes/health-and-metrics.js';
import { intentRoutes, jobRoutes } from '../../../src/gateway/routes/jobs.js';
import { journeyRoutes } from '../../../src/gateway/routes/journeys-and-runs.js';
import { openStepRoutes } from '../../../src/gateway/routes/open-steps.js';
import { documentRoutes } from '../../../src/gateway/routes/openapi-documents.js';
import { pipelineRoutes } from '../../../src/gateway/routes/pipelines.js';
import { runRoutes } from '../../../src/gateway/routes/rerun-and-migrate-runs.js';
import { runCountRoutes } from '../../../src/gateway/routes/run-counts-and-statistics.js';
import { scheduleRoutes } from '../../../src/gateway/routes/schedules.js';
import { trailRoutes } from '../../../src/gateway/routes/trail.js';
import { endedView, FakeRuns, gateway, options as gatewayOptions, journey, runView } from './harness.js';

const text = readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8');
const document = parse(text) as {
  paths: Record<
    string,
    Record<string, { operationId: string; security?: unknown[]; responses: Record<string, unknown> }>
  >;
};

it('the document lists exactly the served routes, and which of them are public', () => {
  const { options } = gatewayOptions({}, new FakeRuns());
  const served: Route[] = [
    ...probeRoutes(options),
    ...documentRoutes(options),
    ...journeyRoutes({ ...options, answers: undefined as never, starts: undefined as never }),
    ...hookRoutes({ ...options, answers: undefined as never, starts: undefined as never }),
    ...runRoutes({ ...options, answers: undefined as never }),
    ...bulkRunRoutes({ ...options, answers: undefined as never }),
    ...attentionRoutes(options),
    ...runCountRoutes(options),
    ...openStepRoutes({ ...options, answers: undefined as never }),
    ...definitionRoutes(options),
    ...trailRoutes(options),
    ...scheduleRoutes({ ...options, answers: undefined as never }),
    ...jobRoutes(options),
    ...pipelineRoutes(options),
    ...intentRoutes(options),
    ...channelRoutes(options),
    ...codecRoutes({ codec: { origins: [], encode: async (it) => it, decode: async (it) => it } }),
  ];
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { security }]) => `${method} ${path} ${security === undefined ? 'guarded' : 'open'}`,
    ),
  );
  const expected = served.map(
    ({ method, path, roles }) =>
      `${method} ${path.replace(/:(\w+)/g, '{$1}')} ${roles.length > 0 ? 'guarded' : 'open'}`,
  );
  expect(described.sort()).toEqual([...expected, 'post /api/v1/apis/{name} guarded'].sort());
});

it('every reference resolves and every operation has its own id', () => {
  const refs = [...text.matchAll(/\$ref: ['"]#\/([^'"]+)['"]/g)].map(([, path]) => path as string);
  expect(refs.length).toBeGreaterThan(50);
  for (const path of refs) {
    const found = path.split('/').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document);
    expect(found, path).toBeDefined();
  }
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((it) => it.operationId));
  expect(new Set(ids).size).toBe(ids.length);
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'openapi' });

function expectShape(name: string, body: unknown): void {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  expect(validate, name).toBeDefined();
  expect([validate?.(body), validate?.errors], JSON.stringify(body)).toEqual([true, null]);
}

it('responses match the document', async () => {
  const waiting = journey('later', { lifecycle: { cancellable: true, startMode: 'async' } });
  const strict = journey('strict', { input: { schema: { required: ['a', 'b'] } } });
  const { get, post, runs } = await gateway({ definitions: [journey('order'), waiting, strict] });
  runs.known.set('r', runView('r'));
  runs.known.set('e', endedView('e', { status: 'PAID' }));
  runs.nextPageToken = 't';
  expectShape('JourneyOutcome', (await post('/api/v1/journeys/order/start', {})).body);
  expectShape('JourneyStartResponse', (await post('/api/v1/journeys/later/start', {})).body);
  expectShape('JourneyStatus', (await get('/api/v1/journeys/r')).body);
  expectShape('JourneyStatus', (await get('/api/v1/journeys/e')).body);
  expectShape('JourneyOutcome', (await get('/api/v1/journeys/e/result')).body);
  expectShape('JourneyStatus', (await post('/api/v1/journeys/r/steps/approval', 1)).body);
  expectShape('JourneyStatus', (await post('/api/v1/journeys/r/steps/cancel')).body);
  expectShape('JourneyList', (await get('/api/v1/journeys')).body);
  expectShape('RunAgain', (await post('/api/v1/journeys/e/retry', {})).body);
  expectShape('RunAgain', (await post('/api/v1/journeys/e/reset', { state: 'a' })).body);
  expectShape('MigratedRun', (await post('/api/v1/journeys/r/migrate', { to: '1.0.0' })).body);
  expectShape('BulkCancel', (await post('/api/v1/journeys/bulk/cancel', { ids: ['r', 'x'] })).body);
  expectShape('BulkRetry', (await post('/api/v1/journeys/bulk/retry', { ids: ['e', 'x'] })).body);
  expectShape('Attention', (await get('/api/v1/attention')).body);
  expectShape('RunCounts', (await get('/api/v1/journeys/counts')).body);
  expectShape('OpenStepList', (await get('/api/v1/steps')).body);
  expectShape('RunDefinition', (await get('/api/v1/journeys/r/definition')).body);
  expectShape('DefinitionList', (await get('/api/v1/definitions')).body);
  expectShape('Definition', (await get('/api/v1/definitions/order')).body);
  expectShape('DefinitionChanges', (await get('/api/v1/definitions/order/changes')).body);
  expectShape('EdgeCounts', (await get('/api/v1/definitions/order/edges')).body);
  expectShape('DefinitionStats', (await get('/api/v1/definitions/order/stats')).body);
  expectShape('RunTrail', (await get('/api/v1/journeys/e/trail')).body);
  for (const path of ['/nowhere', '/api/v1/journeys/x', '/api/v1/journeys/r/result']) {
    expectShape('Problem', (await get(path)).body);
  }
  expectShape('Problem', (await post('/api/v1/journeys/strict/start', {})).body);
});
