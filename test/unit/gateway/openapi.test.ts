import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { channelRoutes } from '../../../src/gateway/channel-routes.js';
import { codecRoutes } from '../../../src/gateway/codec-routes.js';
import { documentRoutes } from '../../../src/gateway/document-routes.js';
import { intentRoutes } from '../../../src/gateway/intent-routes.js';
import { jobRoutes } from '../../../src/gateway/job-routes.js';
import { journeyRoutes } from '../../../src/gateway/journey-routes.js';
import { operationRoutes } from '../../../src/gateway/operation-routes.js';
import { pipelineRoutes } from '../../../src/gateway/pipeline-routes.js';
import type { Route } from '../../../src/gateway/route.js';
import { runRoutes } from '../../../src/gateway/run-routes.js';
import { scheduleRoutes } from '../../../src/gateway/schedule-routes.js';
import { endedView, FakeRuns, gateway, options as gatewayOptions, journey, runView } from './harness.js';

const text = readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8');
const document = parse(text) as {
  paths: Record<
    string,
    Record<string, { operationId: string; security?: unknown[]; responses: Record<string, unknown> }>
  >;
};

it('the document lists exactly the routes that are served, and which of them are open', () => {
  const { options } = gatewayOptions({}, new FakeRuns());
  const served: Route[] = [
    ...operationRoutes(options),
    ...documentRoutes(options),
    ...journeyRoutes({ ...options, answers: undefined as never, starts: undefined as never }),
    ...runRoutes({ ...options, answers: undefined as never }),
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

it('answers have the shapes the document says', async () => {
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
  expectShape('MovedRun', (await post('/api/v1/journeys/r/move', { to: '1.0.0' })).body);
  expectShape('RunHistory', (await get('/api/v1/journeys/e/history')).body);
  for (const path of ['/nowhere', '/api/v1/journeys/x', '/api/v1/journeys/r/result']) {
    expectShape('Problem', (await get(path)).body);
  }
  expectShape('Problem', (await post('/api/v1/journeys/strict/start', {})).body);
});
